import {
  type deletedLangfuseRun,
  internalRoutes,
  type langfuseRunItem,
  limits,
  routes,
  type runItem,
} from "@touchstone/contracts";
import {
  AppError,
  type Handler,
  type JsonMember,
  membersOf,
  memberText,
  objectText,
  parseBody,
  readJsonObject,
  type ServedRoute,
  spanIdOf,
  traceIdOf,
} from "@touchstone/service-kit";
import type { z } from "zod";
import type { Owner } from "../owner.ts";
import { pageMeta, readPage, textOf } from "./page.ts";

/** Runs of datasets and their items (dropin 1.6). They are external runs. */
export function runItemRoutes({ evalRuns }: { evalRuns: Owner }): ServedRoute[] {
  return [
    { route: routes.createLangfuseRunItem, handle: createItem(evalRuns) },
    { route: routes.listLangfuseRunItems, handle: listItems(evalRuns) },
    { route: routes.listLangfuseRuns, handle: listRuns(evalRuns) },
    { route: routes.getLangfuseRun, handle: getRun(evalRuns) },
    { route: routes.deleteLangfuseRun, handle: deleteRun(evalRuns) },
  ];
}

/** POST /api/public/dataset-run-items. Metadata are passed on as they were sent. */
function createItem(evalRuns: Owner): Handler {
  return async (call) => {
    const { text, value } = await readJsonObject(call);
    const sent = parseBody(value, routes.createLangfuseRunItem.body);
    const { runName, runDescription, datasetItemId: caseId, traceId, observationId = null, createdAt = null } = sent;
    const metadata = memberText(text, "metadata");
    refuseLarge((metadata ?? "") + (runDescription ?? ""));
    const named = {
      ...{ runName, caseId, traceId, observationId, createdAt },
      ...(typeof runDescription === "string" && { description: runDescription }),
      otel: { traceId: traceIdOf(traceId), spanId: observationId === null ? null : spanIdOf(observationId) },
    };
    const members = membersOf(JSON.stringify(named));
    const more: JsonMember[] = metadata === undefined ? [] : [{ name: "metadata", valueText: metadata }];
    const route = internalRoutes.keepRunItem;
    const answer = await evalRuns.ask(route, call, { body: objectText([...members, ...more]) });
    const { item } = route.reply.parse(JSON.parse(answer));
    if (item === null) throw new AppError("not_found", "Dataset item not found");
    return { status: 200, body: showItem(item) };
  };
}

/** Both are shown wherever runs are listed. */
function refuseLarge(described: string): void {
  if (Buffer.byteLength(described) <= limits.smallBodyMaxBytes) return;
  throw new AppError("bad_request", "runDescription and metadata must have at most 64 KiB together");
}

function listItems(evalRuns: Owner): Handler {
  return async (call) => {
    const page = readPage(call);
    const [datasetId, runName] = [textOf(call, "datasetId"), textOf(call, "runName")];
    if (datasetId === null || runName === null) throw new AppError("bad_request", "datasetId and runName are required");
    const route = internalRoutes.listRunItems;
    const body = JSON.stringify({ datasetId, runName, offset: page.offset, limit: page.limit });
    const { items, totalCount } = route.reply.parse(JSON.parse(await evalRuns.ask(route, call, { body })));
    return { status: 200, body: { data: items.map(showItem), meta: pageMeta(page, totalCount) } };
  };
}

function listRuns(evalRuns: Owner): Handler {
  return async (call) => {
    const page = readPage(call);
    const body = JSON.stringify({
      ...{ datasetName: call.params.datasetName ?? "", offset: page.offset, limit: page.limit },
    });
    const found = await evalRuns.ask(internalRoutes.listNamedRuns, call, { body });
    const runs = memberText(found, "runs") ?? "null";
    if (runs === "null") throw new AppError("not_found", "Dataset not found");
    const meta = pageMeta(page, Number(memberText(found, "totalCount")));
    return { status: 200, body: `{"data":${runs},"meta":${JSON.stringify(meta)}}` };
  };
}

function getRun(evalRuns: Owner): Handler {
  return async (call) => {
    const { datasetName = "", runName = "" } = call.params;
    const route = internalRoutes.findNamedRun;
    const found = await evalRuns.ask(route, call, { body: JSON.stringify({ datasetName, runName }) });
    const run = memberText(found, "run") ?? "null";
    if (run === "null") throw new AppError("not_found", "Dataset run not found");
    const items = route.reply.shape.items.parse(JSON.parse(memberText(found, "items") ?? "[]"));
    const shown = JSON.stringify(items.map(showItem));
    return { status: 200, body: objectText([...membersOf(run), { name: "datasetRunItems", valueText: shown }]) };
  };
}

/** DELETE /api/public/datasets/{datasetName}/runs/{runName}. Its traces and their scores stay. */
function deleteRun(evalRuns: Owner): Handler {
  return async (call) => {
    const { datasetName = "", runName = "" } = call.params;
    const route = internalRoutes.deleteNamedRun;
    const answer = await evalRuns.ask(route, call, { body: JSON.stringify({ datasetName, runName }) });
    if (!route.reply.parse(JSON.parse(answer)).deleted) throw new AppError("not_found", "Dataset run not found");
    const body: z.input<typeof deletedLangfuseRun> = { message: "Dataset run deleted" };
    return { status: 200, body };
  };
}

/** An item never changes. */
const showItem = ({ runId, runName, caseId, ...item }: z.output<typeof runItem>): z.input<typeof langfuseRunItem> => ({
  ...item,
  datasetRunId: runId,
  datasetRunName: runName,
  datasetItemId: caseId,
  updatedAt: item.createdAt,
});
