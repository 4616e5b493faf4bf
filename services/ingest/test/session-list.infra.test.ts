import { randomUUID } from "node:crypto";
import type { Database, Statement } from "@touchstone/db";
import { beforeAll, expect, test } from "vitest";
import { createSessionStore } from "../src/trace-store/reading/session-store.ts";
import { countRowsRead, useIngestDatabase } from "./ingest-database.ts";

const database = useIngestDatabase();
const projectId = randomUUID();
const traceCount = 500;
const spansPerTrace = 4;

beforeAll(async () => {
  const put = (text: string) => database.maintenance.query({ name: "", text, values: [projectId, traceCount] });
  await database.maintenance.query({ name: "", text: "select ingest.make_spans_partition(now()::date)" });
  await put(`
    insert into ingest.traces (project_id, trace_key, session_id)
    select $1::uuid, md5(trace::text)::uuid, 'session ' || trace % 20
    from generate_series(1, $2::integer) as trace`);
  await put(`
    insert into ingest.spans
      (project_id, id, trace_key, is_root, created_at, name, kind, has_error, latency_ms, flags, body)
    select $1::uuid, uuidv7(), md5(trace::text)::uuid, span = 1, now(), 'step', 'OTHER', span = 2, 10, 1, ''
    from generate_series(1, $2::integer) as trace, generate_series(1, ${spansPerTrace}) as span`);
});

test("sessions are listed with one look at each span and trace, before any statistics", async () => {
  let read: number | undefined;
  const counting = {
    ...database.app,
    readScoped: (projectIds: readonly string[], statement: Statement) =>
      database.app.scoped(projectIds, async (transaction) => {
        const result = await transaction.query(statement);
        read = await countRowsRead(transaction);
        return result;
      }),
  } as Database;

  const sessions = await createSessionStore(counting).listSessions(projectId, Date.now() - 3_600_000, 100);

  expect(sessions).toHaveLength(20);
  for (const session of sessions) {
    const turnCount = traceCount / 20;
    expect(session).toMatchObject({ turnCount, spanCount: turnCount * spansPerTrace, errorCount: turnCount });
    expect(session.totalLatencyMs).toBe(10 * turnCount);
  }
  // And one more root of each session.
  expect(read).toBeLessThanOrEqual(traceCount * (spansPerTrace + 1) + sessions.length);
});
