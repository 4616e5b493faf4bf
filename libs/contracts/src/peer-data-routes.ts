import { z } from "zod";
import {
  datasetItem,
  datasetName,
  datasetPage,
  datasetPageQuery,
  foundDataset,
  foundItem,
  itemId,
  itemPage,
  itemPageQuery,
  keptDataset,
  keptItem,
  namedDataset,
} from "./http/dataset-items.ts";
import { promptSearch, promptSearchReply } from "./http/prompts.ts";
import {
  foundRun,
  keptRunItem,
  namedRunPage,
  namedRunPageQuery,
  namedRunQuery,
  runItem,
  runItemPage,
  runItemPageQuery,
} from "./http/run-items.ts";
import type { InternalRoute } from "./route.ts";

const asPeers = { method: "POST", owner: "eval-runs", askedBy: ["dropin"] } as const;

/** The data of eval-runs as other systems know them: what dropin asks for. Part of the routes between services. */
export const peerDataRoutes = {
  /** Makes a dataset, or changes the one of this name. */
  keepDataset: {
    ...asPeers,
    id: "keepDataset",
    path: "/internal/datasets/keep",
    body: keptDataset,
    reply: namedDataset,
  },
  /** A dataset by name. */
  findDataset: {
    ...asPeers,
    id: "findDataset",
    path: "/internal/datasets/find",
    body: datasetName,
    reply: foundDataset,
  },
  /** Datasets without their cases, newest first. */
  listNamedDatasets: {
    ...asPeers,
    id: "listNamedDatasets",
    path: "/internal/datasets/list",
    body: datasetPageQuery,
    reply: datasetPage,
  },
  /** Makes a case with an id, or changes the one that has it. */
  keepItem: {
    ...asPeers,
    id: "keepItem",
    path: "/internal/dataset-items/keep",
    body: keptItem,
    reply: datasetItem,
  },
  /** A case by its id. */
  findItem: {
    ...asPeers,
    id: "findItem",
    path: "/internal/dataset-items/find",
    body: itemId,
    reply: foundItem,
  },
  /** The cases of a dataset without archived ones, in its order. */
  listItems: {
    ...asPeers,
    id: "listItems",
    path: "/internal/dataset-items/list",
    body: itemPageQuery,
    reply: itemPage,
  },
  /** Adds an item to the external run of a name. */
  keepRunItem: {
    ...asPeers,
    id: "keepRunItem",
    path: "/internal/run-items/keep",
    body: keptRunItem,
    reply: z.object({ item: runItem.nullable() }),
  },
  /** The items of an external run, page by page. */
  listRunItems: {
    ...asPeers,
    id: "listRunItems",
    path: "/internal/run-items/list",
    body: runItemPageQuery,
    reply: runItemPage,
  },
  /** The external runs of a dataset, page by page. */
  listNamedRuns: {
    ...asPeers,
    id: "listNamedRuns",
    path: "/internal/named-runs/list",
    body: namedRunPageQuery,
    reply: namedRunPage,
  },
  /** An external run by its name, with its items. */
  findNamedRun: {
    ...asPeers,
    id: "findNamedRun",
    path: "/internal/named-runs/find",
    body: namedRunQuery,
    reply: foundRun,
  },
  /** Deletes an external run by its name, with its items. */
  deleteNamedRun: {
    ...asPeers,
    id: "deleteNamedRun",
    path: "/internal/named-runs/delete",
    body: namedRunQuery,
    reply: z.object({ deleted: z.boolean() }),
  },
  /** Prompts by name, label and tag, page by page. */
  searchPrompts: {
    ...asPeers,
    id: "searchPrompts",
    path: "/internal/prompts/search",
    body: promptSearch,
    reply: promptSearchReply,
  },
} as const satisfies Record<string, InternalRoute>;
