import { internalRoutes, routes } from "@touchstone/contracts";
import {
  AppError,
  type Call,
  elementsOf,
  type Handler,
  membersOf,
  memberText,
  objectText,
  readJsonObject,
  requireProject,
  type ServedRoute,
} from "@touchstone/service-kit";
import type { Owner } from "../owner.ts";
import { withMedia } from "./item-media.ts";
import { pageMeta, readPage, textOf } from "./page.ts";

/** Datasets and their items (dropin 1.5). The owner answers items as JSON text, which is passed on as it is. */
export function datasetRoutes({ evalRuns, ingest }: { evalRuns: Owner; ingest: Owner }): ServedRoute[] {
  return [
    { route: routes.createLangfuseDataset, handle: createDataset(evalRuns) },
    { route: routes.listLangfuseDatasets, handle: listDatasets(evalRuns) },
    { route: routes.getLangfuseDataset, handle: getDataset(evalRuns) },
    { route: routes.createLangfuseDatasetItem, handle: createItem(evalRuns, ingest) },
    { route: routes.listLangfuseDatasetItems, handle: listItems(evalRuns, ingest) },
    { route: routes.getLangfuseDatasetItem, handle: getItem(evalRuns, ingest) },
  ];
}

function createDataset(evalRuns: Owner): Handler {
  return async (call) => {
    const { text } = await readJsonObject(call);
    return {
      status: 200,
      body: showDataset(await evalRuns.ask(internalRoutes.keepDataset, call, { body: text }), call),
    };
  };
}

function listDatasets(evalRuns: Owner): Handler {
  return async (call) => {
    const page = readPage(call);
    const body = JSON.stringify({ offset: page.offset, limit: page.limit });
    const route = internalRoutes.listNamedDatasets;
    const { datasets, totalCount } = route.reply.parse(JSON.parse(await evalRuns.ask(route, call, { body })));
    const shown = datasets.map((dataset) => showDataset(JSON.stringify(dataset), call));
    return { status: 200, body: `{"data":[${shown.join(",")}],"meta":${JSON.stringify(pageMeta(page, totalCount))}}` };
  };
}

function getDataset(evalRuns: Owner): Handler {
  return async (call) => {
    const body = JSON.stringify({ name: call.params.datasetName ?? "" });
    const found = memberText(await evalRuns.ask(internalRoutes.findDataset, call, { body }), "dataset") ?? "null";
    if (found === "null") throw new AppError("not_found", "Dataset not found");
    return { status: 200, body: showDataset(found, call) };
  };
}

function createItem(evalRuns: Owner, ingest: Owner): Handler {
  return async (call) => {
    const { text } = await readJsonObject(call);
    const item = await evalRuns.ask(internalRoutes.keepItem, call, { body: text });
    return { status: 200, body: (await withMedia([item], ingest, call)).join() };
  };
}

function listItems(evalRuns: Owner, ingest: Owner): Handler {
  return async (call) => {
    const page = readPage(call);
    const datasetName = textOf(call, "datasetName");
    if (datasetName === null) throw new AppError("bad_request", "datasetName is required");
    const body = JSON.stringify({ datasetName, offset: page.offset, limit: page.limit });
    const found = await evalRuns.ask(internalRoutes.listItems, call, { body });
    const meta = pageMeta(page, Number(memberText(found, "totalCount")));
    const items = await withMedia(elementsOf(memberText(found, "items") ?? "[]"), ingest, call);
    return { status: 200, body: `{"data":[${items.join(",")}],"meta":${JSON.stringify(meta)}}` };
  };
}

function getItem(evalRuns: Owner, ingest: Owner): Handler {
  return async (call) => {
    const body = JSON.stringify({ id: call.params.itemId ?? "" });
    const item = memberText(await evalRuns.ask(internalRoutes.findItem, call, { body }), "item") ?? "null";
    if (item === "null") throw new AppError("not_found", "Dataset item not found");
    return { status: 200, body: (await withMedia([item], ingest, call)).join() };
  };
}

/** Clients make links from the project's id. */
function showDataset(text: string, call: Call): string {
  const projectId = JSON.stringify(requireProject(call));
  return objectText([...membersOf(text), { name: "projectId", valueText: projectId }]);
}
