import { createHash } from "node:crypto";
import { type Doing, newDone } from "./done.ts";
import { canonicalTraceId, type Held } from "./held.ts";
import { lossesOf } from "./losses.ts";
import { itemsOf, objectText } from "./raw-json.ts";
import { Row } from "./row.ts";
import type { LangfuseSource } from "./source.ts";
import type { Store, Stores } from "./store.ts";
import { Refused } from "./target.ts";

export function storeDatasets({ target, journal }: Stores): Store {
  return async ({ rows }) => {
    const done = newDone();
    for (const row of rows) {
      const name = row.text("name") ?? "";
      const isNew = !journal.names.has(`dataset ${row.id()}`);
      done.names[`dataset ${row.id()}`] = name;
      if (isNew) done.lost.push(...lossesOf("dataset", row, name));
      const body = objectText(take(row, ["name", "description", "metadata"]));
      await orRefused(() => target.post("/v2/datasets", body), { done, kind: "item", id: name });
    }
    return done;
  };
}

export function storeItems({ target, journal }: Stores, datasetName: string): Store {
  return async ({ rows }) => {
    const done = newDone();
    for (const row of rows) {
      const held = itemHeld(row, datasetName);
      if (!journal.has(held, "")) done.lost.push(...lossesOf("item", row, row.id()));
      done.rows.push({ held, scope: "" });
      const named = { ...take(row, itemMembers), datasetName: JSON.stringify(datasetName) };
      await orRefused(() => target.post("/dataset-items", objectText(named)), { done, kind: "item", id: row.id() });
    }
    return done;
  };
}

const itemMembers = ["id", "status", "input", "expectedOutput", "metadata", "sourceTraceId", "sourceObservationId"];

/** An item of either side. */
export function itemHeld(row: Row, datasetName: string): Held {
  const parts = ["input", "expectedOutput", "metadata", "status"].map((member) => row.raw(member) ?? "null");
  return { kind: "item", id: row.id(), group: datasetName, numbers: [fingerprint(parts.join("\n"))] };
}

/** Runs of version 3, each with its items. */
export function storeRuns(stores: Stores, source: LangfuseSource, datasetName: string): Store {
  return async ({ rows }) => {
    const done = newDone();
    for (const run of rows) {
      const name = run.text("name") ?? "";
      const path = `/datasets/${encodeURIComponent(datasetName)}/runs/${encodeURIComponent(name)}`;
      const read = await source.find(path);
      const items =
        read === null ? [] : itemsOf(new Row(read).raw("datasetRunItems") ?? "[]").map((text) => new Row(text));
      done.lost.push(...lossesOf("run", run, name));
      const described = { runDescription: run.raw("description"), metadata: run.raw("metadata") };
      for (const [index, item] of items.entries()) {
        const more = { ...(index === 0 ? described : {}), ...take(item, ["observationId", "createdAt"]) };
        const [itemId, traceId] = [item.text("datasetItemId") ?? "", item.text("traceId") ?? ""];
        await storeRunItem(stores, done, { run: { id: run.id(), name, datasetName }, itemId, traceId, more });
      }
    }
    return done;
  };
}

/** The items of experiments, which are what version 4 has for runs. */
export function storeExperimentItems(stores: Stores): Store {
  const described = new Set<string>();
  return async ({ rows }) => {
    const done = newDone();
    for (const row of rows) {
      const [id, name] = [row.text("experimentId") ?? "", row.text("experimentName") ?? ""];
      const datasetName = stores.journal.names.get(`dataset ${row.text("experimentDatasetId")}`);
      if (datasetName === undefined) {
        done.lost.push({ member: "experiment without a dataset", id: name });
        continue;
      }
      const more = {
        ...(!described.has(id) && {
          runDescription: row.raw("experimentDescription"),
          metadata: row.raw("experimentMetadata"),
        }),
        ...{ observationId: row.raw("id"), createdAt: row.raw("startTime") },
      };
      described.add(id);
      const [itemId, traceId] = [row.text("experimentItemId") ?? "", row.text("traceId") ?? ""];
      await storeRunItem(stores, done, { run: { id, name, datasetName }, itemId, traceId, more });
    }
    return done;
  };
}

interface RunItem {
  run: { id: string; name: string; datasetName: string };
  itemId: string;
  traceId: string;
  more: Record<string, string | undefined>;
}

async function storeRunItem({ target }: Stores, done: Doing, item: RunItem): Promise<void> {
  const { run, itemId, traceId, more } = item;
  const held = runItemHeld(run, itemId, traceId);
  done.rows.push({ held, scope: held.group });
  const named = { runName: run.name, datasetItemId: itemId, traceId };
  const texts = Object.fromEntries(Object.entries(named).map(([name, text]) => [name, JSON.stringify(text)]));
  const body = objectText({ ...texts, ...more });
  const answer = await orRefused(() => target.post("/dataset-run-items", body), {
    done,
    kind: "run item",
    id: held.id,
  });
  if (answer !== null) done.names[`run ${run.id}`] = new Row(answer).text("datasetRunId") ?? run.id;
}

/** An item of a run, of either side. */
export function runItemHeld(run: { name: string; datasetName: string }, itemId: string, traceId: string): Held {
  const group = `${run.datasetName} / ${run.name}`;
  return { kind: "run item", id: `${itemId} ${canonicalTraceId(traceId)}`, group, numbers: [] };
}

/** Prompts with their versions, the oldest first. A version that is there with the same content is not sent again. */
export function storePrompts({ target }: Stores, source: LangfuseSource): Store {
  return async ({ rows }) => {
    const done = newDone();
    for (const meta of rows) {
      const name = meta.text("name") ?? "";
      const path = `/v2/prompts/${encodeURIComponent(name)}`;
      const versions = ((meta.value("versions") ?? []) as number[]).toSorted((one, other) => one - other);
      for (const [index, version] of versions.entries()) {
        const row = new Row(await source.get(path, { version, resolve: "false" }));
        done.rows.push({ held: promptHeld(row, index + 1), scope: "" });
        done.lost.push(...lossesOf("prompt", row, `${name} ${version}`));
        if (version !== index + 1)
          done.lost.push({ member: "prompt.version, which is another number here", id: `${name} ${version}` });
        const stored = await target.find(`${path}?version=${index + 1}`);
        if (stored !== null && contentOf(new Row(stored)) === contentOf(row)) continue;
        const labels = ((row.value("labels") ?? []) as string[]).filter((label) => label !== "latest");
        const body = objectText({
          ...take(row, ["name", "type", "prompt", "config", "tags", "commitMessage"]),
          labels: JSON.stringify(labels),
        });
        const id = `${name} ${version}`;
        if (stored !== null)
          done.refused.push({ kind: "prompt", id, message: "Touchstone has another text under this version." });
        else await orRefused(() => target.post("/v2/prompts", body), { done, kind: "prompt", id });
      }
    }
    return done;
  };
}

/** A version of a prompt, of either side. */
export function promptHeld(row: Row, version: number): Held {
  const name = row.text("name") ?? "";
  return { kind: "prompt", id: `${name} ${version}`, group: name, numbers: [fingerprint(contentOf(row))] };
}

function contentOf(row: Row): string {
  return JSON.stringify([row.value("type") ?? "text", row.value("prompt"), row.value("config") ?? {}]);
}

/** A number that is equal for equal texts. */
function fingerprint(text: string): number {
  return createHash("sha256").update(text).digest().readUIntBE(0, 6);
}

async function orRefused(
  store: () => Promise<string>,
  { done, kind, id }: { done: Doing; kind: Held["kind"]; id: string },
): Promise<string | null> {
  try {
    return await store();
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    done.refused.push({ kind, id, message: error.message });
    return null;
  }
}

function take(row: Row, names: readonly string[]): Record<string, string | undefined> {
  return Object.fromEntries(names.map((name) => [name, row.raw(name)]));
}
