import { Failure } from "../surroundings.ts";
import { cursorList } from "./lists.ts";
import { type Api, beginning, type ImportedPart, observationsPage, smallPage, type Window } from "./plan.ts";
import { type ExportFile, fileList } from "./read-files.ts";
import { metaOf } from "./row.ts";
import type { LangfuseSource } from "./source.ts";

/** Rows by list; null where the source does not say how many. */
export type Counts = Record<string, number | null>;

const partOf: Readonly<Record<string, ImportedPart>> = { observations: "traces", "dataset items": "datasets" };

/** Those of some parts; undefined is all. */
export function countsOf(counts: Counts, chosen: ReadonlySet<ImportedPart> | undefined): Counts {
  const entries = Object.entries(counts);
  return Object.fromEntries(entries.filter(([name]) => chosen?.has(partOf[name] ?? (name as ImportedPart)) ?? true));
}

/** How many rows the lists of a running Langfuse have. It takes a request a list. */
export async function countRows({ source, major }: Api, { from, to }: Window): Promise<Counts> {
  const total = async (path: string, query = {}) => {
    const answer = await source.find(path, { ...query, limit: 1, page: 1 });
    const count = answer === null ? undefined : metaOf(answer, "totalItems");
    return typeof count === "number" ? count : null;
  };
  const timestamps = { fromTimestamp: from, toTimestamp: to };
  const times = { fromStartTime: from, toStartTime: to };
  return {
    ...(major === 3 && { traces: await total("/traces", { ...timestamps, fields: "core" }) }),
    observations: major === 4 ? await askMetrics(source, { from, to }) : await total("/observations", times),
    scores: await total("/v2/scores", timestamps),
    datasets: await total("/v2/datasets"),
    "dataset items": await total("/dataset-items"),
    prompts: await total("/v2/prompts"),
  };
}

/** Version 4 counts observations among its metrics. */
async function askMetrics(source: LangfuseSource, { from, to }: Window): Promise<number | null> {
  const query = {
    view: "observations",
    metrics: [{ measure: "count", aggregation: "count" }],
    fromTimestamp: from ?? beginning,
    toTimestamp: to,
  };
  try {
    const answer = await source.find("/v2/metrics", { query: JSON.stringify(query) });
    const { data } = JSON.parse(answer ?? '{"data":[]}') as { data: Record<string, unknown>[] };
    const count = Number(Object.values(data[0] ?? {})[0] ?? Number.NaN);
    return Number.isNaN(count) ? null : count;
  } catch (error) {
    if (error instanceof Failure) return null;
    throw error;
  }
}

/** Counts the observations of version 4 by reading their ids. */
export async function countObservations({ source, pageSize }: Api, { from, to }: Window): Promise<number> {
  const query = { limit: pageSize ?? observationsPage[4], fields: "core", fromStartTime: from, toStartTime: to };
  const list = cursorList(source, "/v2/observations", query);
  let count = 0;
  for (let position: string | null | undefined; position !== null; ) {
    const { rows, next } = await list(position ?? null);
    count += rows.length;
    position = next;
  }
  return count;
}

export async function countFiles(files: readonly ExportFile[]): Promise<Counts> {
  const counts: Record<string, number> = {};
  for (const { file, kind } of files) {
    const list = fileList(file);
    for (let position: string | null | undefined; position !== null; ) {
      const { rows, next } = await list(position ?? null);
      counts[kind] = (counts[kind] ?? 0) + rows.length;
      position = next;
    }
  }
  return counts;
}

/** What reading takes, in words. Metadata of version 4 are cut, and reading them again may double the requests. */
export function describeReading(counts: Counts, { major, pageSize }: Api, requestsPerMinute: number): string {
  const pages = Object.entries(counts).map(([name, count]) => {
    const rows = name === "prompts" ? 1 : name === "observations" ? (pageSize ?? observationsPage[major]) : smallPage;
    return Math.max(1, Math.ceil((count ?? 1) / rows));
  });
  const requests = pages.reduce((sum, count) => sum + count, 0);
  const minutes =
    requests < requestsPerMinute ? "less than a minute" : `about ${Math.ceil(requests / requestsPerMinute)} min`;
  const most = major === 4 ? ", up to twice that with long metadata" : "";
  return `about ${requests} requests, at ${requestsPerMinute} a minute ${minutes}${most}`;
}

export function showCounts(counts: Counts): string {
  return Object.entries(counts)
    .map(([name, count]) => `${count ?? "an unknown number of"} ${name}`)
    .join(", ");
}
