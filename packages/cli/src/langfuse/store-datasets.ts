import { canonicalTraceId, fingerprint, type Held } from "./held.ts";
import { type Doing, newDone } from "./journal.ts";
import { lossesOf } from "./losses.ts";
import { itemsOf, objectText } from "./raw-json.ts";
import { Row } from "./row.ts";
import type { LangfuseSource } from "./source.ts";
import { orRefused, type Store, type Stores } from "./store.ts";

export function storeDatasets({ target, journal }: Stores): Store {
  return async ({ rows }) => {
    const done = newDone();
    for (const row of rows) {
      const name = row.text("name") ?? "";
      const isNew = !journal.names.has(`dataset ${row.id()}`);
      done.names[`dataset ${row.id()}`] = name;
      if (isNew) done.lost.push(...lossesOf("dataset", row, name));
      const body = objectText(row.take(["name", "description", "metadata"]));
      await orRefused(() => target.post("/v2/datasets", body), { done, kind: "item", id: name });
    }
    return done;
  };
}

export function storeItems({ target, journal, media }: Stores, datasetName: string): Store {
  return async ({ rows }) => {
    const done = newDone();
    for (const row of rows) {
      const held = itemHeld(row, datasetName);
      if (!journal.has(held, "")) done.lost.push(...lossesOf("item", row, row.id()));
      done.rows.push({ held, scope: "" });
      const named = { ...row.take(itemMembers), datasetName: JSON.stringify(datasetName) };
      await orRefused(() => target.post("/dataset-items", objectText(named)), { done, kind: "item", id: row.id() });
    }
    await media?.copy(rows, (row) => ({ traceId: null, observationId: null, datasetItemId: row.id() }), done);
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
      if (items.length === 0) done.lost.push({ member: "run without items", id: name });
      const described = { runDescription: run.raw("description"), metadata: run.raw("metadata") };
      for (const [index, item] of items.entries()) {
        const more = { ...(index === 0 ? described : {}), ...item.take(["observationId", "createdAt"]) };
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
