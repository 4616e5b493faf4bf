import { Failure } from "../surroundings.ts";
import type { Journal } from "./journal.ts";
import { cursorList, type List, numberedList, observationList } from "./lists.ts";
import { type ExportFile, fileList } from "./read-files.ts";
import { Row } from "./row.ts";
import type { LangfuseSource } from "./source.ts";
import type { Store, Stores } from "./store.ts";
import { storeDatasets, storeExperimentItems, storeItems, storeRuns } from "./store-datasets.ts";
import { storeObservations, storeScores, storeTraces } from "./store-events.ts";
import { storePrompts } from "./store-prompts.ts";

/** What may be imported by itself. Dataset items and runs are parts of `datasets`, observations and media of `traces`. */
export const parts = ["prompts", "datasets", "traces", "scores"] as const;
export type ImportedPart = (typeof parts)[number];

/** A list that is imported. */
export interface Step {
  part: ImportedPart;
  /** Its name in the journal. */
  stream: string;
  list: List;
  store: Store;
}

export interface Window {
  from: string | null;
  to: string | null;
}

/** A running Langfuse whose API is known. */
export interface Api {
  source: LangfuseSource;
  major: 3 | 4;
  /** Rows of a page of observations; the other lists have at most 100. */
  pageSize: number | null;
}

/** Asks a Langfuse which version it is. Versions before 3 are refused. */
export async function readApi(source: LangfuseSource, pageSize: number | null): Promise<Api & { version: string }> {
  const version = new Row(await source.get("/health")).text("version") ?? "";
  const major = Number(/^v?(\d+)\./.exec(version)?.[1] ?? Number.NaN);
  if (!(major >= 3)) throw new Failure(`${source.url} is Langfuse ${version}; version 3 or newer can be imported.`);
  return { source, version, major: major >= 4 ? 4 : 3, pageSize };
}

/** Rows of a page at most, of observations by version. */
export const smallPage = 100;
export const observationsPage = { 3: 100, 4: 1_000 } as const;

/** The lists of a running Langfuse in their order: what others refer to comes first. Those of datasets are known after them. */
export async function* apiSteps(api: Api, stores: Stores, { from, to }: Window): AsyncGenerator<Step> {
  const { source, major, pageSize } = api;
  const limit = Math.min(smallPage, pageSize ?? smallPage);
  const numbered = (path: string, query = {}) => numberedList(source, path, { limit, ...query });
  yield { part: "prompts", stream: "prompts", list: numbered("/v2/prompts"), store: storePrompts(stores, source) };
  yield { part: "datasets", stream: "datasets", list: numbered("/v2/datasets"), store: storeDatasets(stores) };
  const datasets = [...stores.journal.names].filter(([id]) => id.startsWith("dataset ")).map(([, name]) => name);
  for (const datasetName of new Set(datasets)) {
    const list = numbered("/dataset-items", { datasetName });
    yield { part: "datasets", stream: `items of ${datasetName}`, list, store: storeItems(stores, datasetName) };
    if (major === 4) continue;
    const runs = numbered(`/datasets/${encodeURIComponent(datasetName)}/runs`);
    yield {
      part: "datasets",
      stream: `runs of ${datasetName}`,
      list: runs,
      store: storeRuns(stores, source, datasetName),
    };
  }
  if (major === 4) {
    const query = {
      limit,
      fields: "core,dataset,experimentMetadata",
      fromStartTime: from ?? beginning,
      toStartTime: to,
    };
    const list = cursorList(source, "/experiment-items", query);
    yield { part: "datasets", stream: "experiment items", list, store: storeExperimentItems(stores) };
  } else {
    const list = numbered("/traces", {
      fields: "core,io",
      orderBy: "timestamp.asc",
      fromTimestamp: from,
      toTimestamp: to,
    });
    yield { part: "traces", stream: "traces", list, store: storeTraces(stores) };
  }
  const query = { limit: pageSize ?? observationsPage[major], fromStartTime: from, toStartTime: to };
  const observations = major === 4 ? observationList(source, query) : numberedList(source, "/observations", query);
  yield { part: "traces", stream: "observations", list: observations, store: storeObservations(stores, major === 4) };
  yield {
    part: "scores",
    stream: "scores",
    list: await scoreList(api, { limit, from, to }),
    store: storeScores(stores),
  };
}

/** Where a time is required. */
export const beginning = "1970-01-01T00:00:00.000Z";

/** Version 3 of the list where the source has it: it is switched on by a setting. */
async function scoreList({ source, major }: Api, { limit, from, to }: Window & { limit: number }): Promise<List> {
  const query = { limit, fromTimestamp: from, toTimestamp: to };
  if (major === 4 && (await source.find("/v3/scores", { ...query, limit: 1 })) !== null) {
    return cursorList(source, "/v3/scores", { ...query, fields: "details,subject,annotation" });
  }
  return numberedList(source, "/v2/scores", query);
}

/** The lists of export files. */
export function* fileSteps(files: readonly ExportFile[], stores: Stores): Generator<Step> {
  const hasTraces = files.some(({ kind }) => kind === "traces");
  for (const kind of ["traces", "observations", "scores"] as const) {
    for (const { file, namesTraces } of files.filter((one) => one.kind === kind)) {
      const makesTraces = namesTraces && !hasTraces;
      const store = {
        traces: storeTraces,
        observations: (s: Stores) => storeObservations(s, makesTraces),
        scores: storeScores,
      };
      const part = kind === "scores" ? "scores" : "traces";
      yield { part, stream: `${kind} of ${file}`, list: fileList(file), store: store[kind](stores) };
    }
  }
}

/** Stores the rest of a list. */
export async function takeStep({ stream, list, store }: Step, journal: Journal, progress: () => void): Promise<void> {
  let position = journal.position(stream);
  while (position !== null) {
    const page = await list(position ?? null);
    const done = await store(page);
    await journal.write({ stream, next: page.next, ...done });
    progress();
    position = page.next;
  }
}
