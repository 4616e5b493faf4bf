import { type Route, routes } from "@touchstone/contracts";
import type { Ask } from "@touchstone/mcp-tools";
import { AppError, type Call } from "@touchstone/service-kit";
import type { Owner } from "../owner.ts";

export interface Owners {
  ingest: Owner;
  evalRuns: Owner;
  monitor: Owner;
}

/** The routes that tools use. */
const asked: readonly Route[] = [
  routes.listTraces,
  routes.getTraceOutline,
  routes.getTrace,
  routes.submitScores,
  routes.listTraceEvaluations,
  routes.listSignals,
  routes.listDatasets,
  routes.countDatasetVersions,
  routes.getDataset,
  routes.listDatasetVersions,
  routes.previewCase,
  routes.addCases,
  routes.listRuns,
  routes.createRun,
  routes.getRun,
  routes.listMissingResults,
  routes.submitResults,
  routes.finalizeRun,
  routes.listResults,
  routes.gateRun,
  routes.compareRuns,
];

/** Asks the owners of routes under the identity of a request. */
export function askOf({ ingest, evalRuns, monitor }: Owners, call: Call): Ask {
  const owners: Readonly<Partial<Record<Route["owner"], Owner>>> = { ingest, "eval-runs": evalRuns, monitor };
  return async (method, path, query = {}, body = undefined) => {
    const route = asked.find((one) => one.method === method && isAt(one, path));
    const owner = route && owners[route.owner];
    if (owner === undefined) throw new AppError("not_found", "Not found");
    const sent = body === undefined ? {} : { body: JSON.stringify(body) };
    return JSON.parse(await owner.ask({ ...route, path } as Route, call, { query, ...sent }));
  };
}

function isAt(route: Route, path: string): boolean {
  const parts = path.split("/");
  const expected = route.path.split("/");
  return parts.length === expected.length && expected.every((part, at) => part.startsWith("{") || part === parts[at]);
}
