import { openDatabase, prepareSchema, rolesOf } from "@touchstone/db";
import { createLogger } from "@touchstone/service-kit";
import { createTestDatabase } from "@touchstone/testkit";
import { Client } from "pg";
import { expect, test } from "vitest";
import { monitorSchema } from "../src/schema.ts";
import { trimSeenTraces } from "../src/traces/trace-store.ts";

const logger = createLogger({ service: "monitor", level: "silent" });

test("traces whose event cannot come again, and that no window shows, are forgotten, however many, and no others", async () => {
  const testDatabase = await createTestDatabase();
  await prepareSchema({ url: testDatabase.url, ...monitorSchema, logger, migratedBy: null }).done;
  const maintenance = openDatabase({
    url: testDatabase.url,
    role: rolesOf("monitor").maintenance,
    applicationName: "test",
    connectionsMax: 1,
    statementTimeoutMs: 10_000,
    logger,
  });
  const admin = new Client({ connectionString: testDatabase.adminUrl });
  await admin.connect();
  const trimming = trimSeenTraces({ maintenance, logger });
  try {
    await admin.query(`
      insert into monitor.seen_traces (project_id, trace_id, name, created_at, seen_at)
      select gen_random_uuid(), gen_random_uuid(), 'old', now(), now() - interval '62 days'
      from generate_series(1, 12000)`);
    await admin.query(`
      insert into monitor.seen_traces (project_id, trace_id, name, created_at, seen_at)
      select gen_random_uuid(), gen_random_uuid(), 'recent', now() - interval '1 year', now() - interval '60 days'
      from generate_series(1, 3)`);

    expect(await trimming.sweep()).toBe(12_000);

    const { rows } = await admin.query("select name from monitor.seen_traces");
    expect(rows.map(({ name }) => name)).toEqual(["recent", "recent", "recent"]);
    expect(await trimming.sweep()).toBe(0);
  } finally {
    await trimming.stop();
    await admin.end();
    await maintenance.close();
    await testDatabase.drop();
  }
});
