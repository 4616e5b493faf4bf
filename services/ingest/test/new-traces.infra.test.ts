import { randomUUID } from "node:crypto";
import { beforeAll, expect, test } from "vitest";
import { buildNewTraceCheck, tracesKnown } from "../src/trace-store/writing/trace-read.ts";
import { countRowsRead, useIngestDatabase } from "./ingest-database.ts";

const database = useIngestDatabase();
const projectId = randomUUID();
const known = randomUUID();

beforeAll(async () => {
  await database.maintenance.query({
    name: "",
    text: `
      insert into ingest.traces (project_id, trace_key)
      select $1::uuid, $2::uuid
      union all
      select $1, gen_random_uuid() from generate_series(1, 3000)`,
    values: [projectId, known],
  });
});

const keysOf = (traceKeys: readonly string[]) => traceKeys.map((traceKey) => ({ projectId, traceKey }));

test("a batch is known to be new without reading the project's other traces, before any statistics", async () => {
  const read = await database.app.scoped([projectId], async (transaction) => {
    const responses = [{ projectId, responseId: "resp-1" }];
    await transaction.query(buildNewTraceCheck(keysOf(Array.from({ length: 8 }, () => randomUUID())), responses));
    return countRowsRead(transaction, "traces");
  });
  expect(read).toBe(0);
});

test("a batch with a trace that is stored is refused as not new", async () => {
  const check = database.app.scoped([projectId], (transaction) =>
    transaction.query(buildNewTraceCheck(keysOf([randomUUID(), known]), [])),
  );
  await expect(check).rejects.toMatchObject({ code: tracesKnown });
});
