import { type Bus, connectBus } from "@touchstone/bus";
import { type EventContract, type ProjectDataOwner, projectDeleting } from "@touchstone/contracts";
import { type Database, migrateSchema, openDatabase, rolesOf } from "@touchstone/db";
import { createLogger, type Logger } from "@touchstone/service-kit";
import {
  createTestDatabase,
  openProjectRows,
  type ProjectRows,
  type ProjectRowValues,
  startTestNats,
  type TestDatabase,
  type TestNats,
} from "@touchstone/testkit";
import { afterAll, afterEach, beforeAll, expect, test, vi } from "vitest";
import type { z } from "zod";

interface Stoppable {
  stop(): Promise<void>;
}

/** What the removal of a deleted project's rows works with. */
interface RemovalSetting {
  maintenance: Database;
  bus: Bus;
  logger: Logger;
  /** How long what was under way may still write. */
  graceMs: number;
}

/**
 * Declares the tests that every service with rows of projects owes (decision 24): of a deleted project no row is left in
 * any table of its schema, nothing of another is missing, and the service says so once.
 */
export function testProjectDeletion({
  service,
  schema,
  directory,
  confirmation,
  values,
  start,
}: {
  service: ProjectDataOwner;
  schema: string;
  /** The folder of the schema's migrations. */
  directory: string;
  confirmation: EventContract<z.ZodObject<{ projectId: z.ZodUUID }>>;
  /** What the tables' own checks ask for. */
  values: ProjectRowValues;
  /** Starts the removal, and whatever publishes its confirmation, as the service does. */
  start(setting: RemovalSetting): (Stoppable | Promise<Stoppable>)[];
}): void {
  const logger = createLogger({ service, level: "silent" });
  let nats: TestNats;
  let database: TestDatabase;
  let maintenance: Database;
  let rows: ProjectRows;
  let auth: Bus;
  let own: Bus;
  const confirmed: string[] = [];
  const running: Stoppable[] = [];

  beforeAll(async () => {
    [nats, database] = await Promise.all([startTestNats(), createTestDatabase()]);
    await migrateSchema({ url: database.url, schema, directory, logger });
    maintenance = openDatabase({
      url: database.url,
      role: rolesOf(schema).maintenance,
      applicationName: "test",
      connectionsMax: 4,
      statementTimeoutMs: 10_000,
      logger,
    });
    rows = await openProjectRows(database.adminUrl, schema);
    auth = connectBus({ url: nats.url, service: "auth", logger });
    own = connectBus({ url: nats.url, service, logger });
    await auth.consume(confirmation, { durable: `auth-deleted-by-${service}` }, async ({ projectId }) => {
      confirmed.push(projectId);
    });
  });

  afterEach(async () => {
    await Promise.all(running.splice(0).map((each) => each.stop()));
  });

  afterAll(async () => {
    await auth?.drain();
    await own?.drain();
    await nats?.stop();
    await rows?.close();
    await maintenance?.close();
    await database?.drop();
  });

  test("nothing of a deleted project is left in any table, and nothing of another is missing", async () => {
    const [gone, kept] = [crypto.randomUUID(), crypto.randomUUID()];
    await rows.fill(gone, values);
    await rows.fill(kept, values);
    const before = await rows.count(kept);
    expect(Object.keys(before)).toEqual(await rows.tables());
    expect(await rows.count(gone)).toEqual(before);

    running.push(...(await Promise.all(start({ maintenance, bus: own, logger, graceMs: 200 }))));
    await vi.waitFor(() => auth.publish(projectDeleting, { projectId: gone }, { messageId: gone }));

    await vi.waitFor(() => expect(confirmed).toContain(gone));
    expect(await rows.count(gone)).toEqual({});
    expect(await rows.count(kept)).toEqual(before);
  });
}
