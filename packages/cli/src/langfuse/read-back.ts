import type { Touchstone } from "@touchstone/sdk";
import { linesOf } from "../lines.ts";
import { tokensOf } from "./events.ts";
import { canonicalTraceId, type Held, type Kind, observation, score } from "./held.ts";
import type { Journal } from "./journal.ts";
import { membersOf } from "./raw-json.ts";
import { Row, rowsOf } from "./row.ts";
import { itemHeld, runItemHeld } from "./store-datasets.ts";
import { labelsHeld, labelsOf, promptHeld, tagsHeld } from "./store-prompts.ts";
import type { Target } from "./target.ts";

/**
 * What Touchstone holds of the rows of an import, read from its export and the paths of Langfuse's clients. A row that it
 * holds twice is there twice. Rows that the import does not know are left out.
 */
export async function readBack(
  journal: Journal,
  { client, target, signal }: { client: Touchstone; target: Target; signal: AbortSignal },
): Promise<Held[]> {
  const known = new Map<Kind, Set<string>>();
  for (const { kind, id } of journal.rows()) known.set(kind, (known.get(kind) ?? new Set()).add(id));
  const has = (kind: Kind, id: string) => known.get(kind)?.has(id) === true;
  const held: Held[] = [];
  const add = (row: Held) => void (has(row.kind, row.id) && held.push(row));
  const lines = (entity: string) => readLines(client, entity, signal);

  if (known.has("observation") || known.has("trace")) {
    for await (const line of lines("traces")) for (const row of ofSpan(line, has)) held.push(row);
  }
  if (known.has("score")) {
    for await (const line of lines("scores")) add(score(line.id(), line.text("name") ?? "", line.value("value")));
  }
  if (known.has("media")) {
    // A line for each trace that has it.
    const ids = new Set<string>();
    for await (const line of lines("media")) ids.add(line.id());
    for (const id of ids) add({ kind: "media", id, group: "", numbers: [] });
  }
  const datasets = [...journal.names].filter(([id]) => id.startsWith("dataset ")).map(([, name]) => name);
  for (const datasetName of new Set(datasets)) {
    for await (const row of readItems(journal, target, datasetName)) add(itemHeld(row, datasetName));
    if (known.has("run item")) for await (const row of readRunItems(target, datasetName)) add(row);
  }
  for (const name of new Set(journal.rowsOf("prompt").map(({ group }) => group))) {
    let tags: Held[] = [];
    for (let version = 1; ; version += 1) {
      const found = await target.find(`/v2/prompts/${encodeURIComponent(name)}?version=${version}`);
      if (found === null) break;
      const row = new Row(found);
      for (const one of [promptHeld(row, version), ...labelsHeld(name, version, labelsOf(row))]) add(one);
      tags = tagsHeld(row);
    }
    for (const tag of tags) add(tag);
  }
  return held;
}

/** The items of a dataset. Its list has no archived ones: those that the journal knows are read one by one. */
async function* readItems(journal: Journal, target: Target, datasetName: string): AsyncGenerator<Row> {
  const listed = new Set<string>();
  for await (const row of pages(target, `/dataset-items?datasetName=${encodeURIComponent(datasetName)}`)) {
    listed.add(row.id());
    yield row;
  }
  for (const { id, group } of journal.rowsOf("item")) {
    if (group !== datasetName || listed.has(id)) continue;
    const found = await target.find(`/dataset-items/${encodeURIComponent(id)}`);
    const row = found === null ? null : new Row(found);
    if (row?.text("datasetName") === datasetName) yield row;
  }
}

async function* readRunItems(target: Target, datasetName: string): AsyncGenerator<Held> {
  for await (const run of pages(target, `/datasets/${encodeURIComponent(datasetName)}/runs?`)) {
    const name = run.text("name") ?? "";
    const query = new URLSearchParams({ datasetId: run.text("datasetId") ?? "", runName: name });
    for await (const item of pages(target, `/dataset-run-items?${query}`)) {
      yield runItemHeld({ name, datasetName }, item.text("datasetItemId") ?? "", item.text("traceId") ?? "");
    }
  }
}

async function* pages(target: Target, path: string): AsyncGenerator<Row> {
  for (let page = 1; ; page += 1) {
    const answer = await target.find(`${path}&limit=100&page=${page}`);
    const rows = answer === null ? [] : rowsOf(answer);
    if (rows.length === 0) return;
    yield* rows;
  }
}

/** A line of an export as the rows that it holds: a trace, an observation, or the root of a trace that is both. */
function* ofSpan(line: Row, has: (kind: Kind, id: string) => boolean): Generator<Held> {
  const metadata = new Row(line.raw("metadata") ?? "{}");
  const peerId = metadata.text("peerId");
  if (line.value("isRoot") === true) {
    const id = [peerId, line.text("otelTraceId")].find((one) => one !== null && has("trace", canonicalTraceId(one)));
    if (typeof id === "string") yield { kind: "trace", id: canonicalTraceId(id), group: "", numbers: [] };
  }
  const id = [line.text("spanId"), peerId].find((one) => one !== null && has("observation", one));
  if (typeof id !== "string") return;
  const [startMs, endMs] = [msOf(line.text("startedAtUnixNano")), msOf(line.text("endedAtUnixNano"))];
  const attributes = membersOf(new Row(metadata.raw("otel") ?? "{}").raw("attributes") ?? "{}");
  const usage = attributes.get(usageAttribute);
  // A span that states no usage shows that of the spans below it.
  const own = tokensOf(usage === undefined ? "{}" : (JSON.parse(usage) as string));
  const count = (stated: number, column: string) => (stated === 0 ? 0 : Number(line.text(column) ?? 0));
  yield observation(id, {
    ...{ startMs, endMs },
    input: count(own.input, "inputTokens"),
    output: count(own.output, "outputTokens"),
    cached: count(own.cached, "cacheReadTokens"),
    cost: Number(metadata.text("reportedCostUSD") ?? 0),
  });
}

const usageAttribute = "langfuse.observation.usage_details";

const msOf = (nanos: string | null): number | null => (nanos === null ? null : Number(BigInt(nanos) / 1_000_000n));

/** The connection breaks if the server cannot go on; then reading throws. */
async function* readLines(client: Touchstone, entity: string, signal: AbortSignal): AsyncGenerator<Row> {
  const { body } = await client.request(`/api/v1/export/${entity}`, { signal });
  for await (const line of linesOf((body ?? []) as AsyncIterable<Uint8Array>)) if (line !== "") yield new Row(line);
}
