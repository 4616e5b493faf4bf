import { internalRoutes, isStorable, isUuid, limits, type namedRunQuery } from "@touchstone/contracts";
import { actOf, type Handler, requireProject, type ServedRoute } from "@touchstone/service-kit";
import type { z } from "zod";
import type { NamedDatasetStore } from "../datasets/named-dataset-store.ts";
import type { RunStore } from "../runs/run-store.ts";
import { type KeepDependencies, keepRunItem } from "./keep-run-item.ts";
import { type ListedRun, type RunLists, renderItem, renderNamedRun } from "./run-list-reader.ts";

interface Reading {
  lists: RunLists;
  named: Pick<NamedDatasetStore, "findId">;
}

/** Answers dropin: external runs by name, item by item (dropin 1.6). */
export function externalRunRoutes(
  dependencies: KeepDependencies & Reading & { named: NamedDatasetStore; runs: Pick<RunStore, "remove"> },
): ServedRoute[] {
  return [
    { route: internalRoutes.keepRunItem, handle: keepRunItem(dependencies) },
    { route: internalRoutes.listRunItems, handle: listRunItems(dependencies) },
    { route: internalRoutes.listNamedRuns, handle: listNamedRuns(dependencies) },
    { route: internalRoutes.findNamedRun, handle: findNamedRun(dependencies) },
    { route: internalRoutes.deleteNamedRun, handle: deleteNamedRun(dependencies) },
  ];
}

function listRunItems({ lists }: Reading): Handler {
  return async (call) => {
    const projectId = requireProject(call);
    const { datasetId, runName, ...page } = internalRoutes.listRunItems.body.parse(await call.json());
    const run =
      isUuid(datasetId) && isStorable(runName) ? await lists.findRun({ projectId, datasetId, name: runName }) : null;
    const found = run === null ? { items: [], totalCount: 0 } : await lists.listItems(projectId, run.id, page);
    const items = found.items.map((item) => renderItem(item, runName));
    return { status: 200, body: `{"items":[${items.join(",")}],"totalCount":${found.totalCount}}` };
  };
}

function listNamedRuns({ lists, named }: Reading): Handler {
  return async (call) => {
    const projectId = requireProject(call);
    const { datasetName, ...page } = internalRoutes.listNamedRuns.body.parse(await call.json());
    const datasetId = isStorable(datasetName) ? await named.findId(projectId, datasetName) : null;
    if (datasetId === null) return { status: 200, body: '{"runs":null,"totalCount":0}' };
    const { runs, totalCount } = await lists.listRuns(projectId, datasetId, page);
    return { status: 200, body: `{"runs":[${runs.map(renderNamedRun).join(",")}],"totalCount":${totalCount}}` };
  };
}

function findNamedRun({ lists, named }: Reading): Handler {
  return async (call) => {
    const projectId = requireProject(call);
    const names = internalRoutes.findNamedRun.body.parse(await call.json());
    const run = await findRun({ lists, named }, projectId, names);
    if (run === null) return { status: 200, body: '{"run":null,"items":[]}' };
    const { items } = await lists.listItems(projectId, run.id, { offset: 0, limit: limits.peerRunItemsMax });
    const shown = items.map((item) => renderItem(item, names.runName));
    return { status: 200, body: `{"run":${renderNamedRun(run)},"items":[${shown.join(",")}]}` };
  };
}

function deleteNamedRun({ runs, ...reading }: Reading & { runs: Pick<RunStore, "remove"> }): Handler {
  return async (call) => {
    const projectId = requireProject(call);
    const names = internalRoutes.deleteNamedRun.body.parse(await call.json());
    const run = await findRun(reading, projectId, names);
    const deleted = run !== null && (await runs.remove(projectId, run.id, actOf(call.identity)));
    const body: z.input<typeof internalRoutes.deleteNamedRun.reply> = { deleted };
    return { status: 200, body };
  };
}

async function findRun(
  { lists, named }: Reading,
  projectId: string,
  { datasetName, runName: name }: z.output<typeof namedRunQuery>,
): Promise<ListedRun | null> {
  const datasetId = isStorable(datasetName) && isStorable(name) ? await named.findId(projectId, datasetName) : null;
  return datasetId === null ? null : lists.findRun({ projectId, datasetId, name });
}
