import { type Database, openDatabase, rolesOf } from "@touchstone/db";
import { createTestDatabase, startTestNats, type TestDatabase, type TestNats } from "@touchstone/testkit";
import type { Timings } from "../src/timings.ts";
import { type FakeJudge, startFakeJudge } from "./fake-judge.ts";
import { quiet, type RunningService, startEvalRuns } from "./start-eval-runs.ts";

/** A separate database and bus of a test, and the services started on them; ended in reverse order. */
export interface TestSystem {
  database: TestDatabase;
  nats: TestNats;
  cleanups: AsyncDisposableStack;
  /** One replica, by default on the system's own database, ready when this resolves. */
  startService(timings?: Partial<Timings>, databaseUrl?: string, ingestUrl?: string): Promise<RunningService>;
  startJudge(concurrency?: number): Promise<FakeJudge>;
  /** The service's database as it sees it itself; `maintenance` sees the rows of every project. */
  open(purpose: "app" | "maintenance"): Database;
  stop(): Promise<void>;
}

export async function startTestSystem(): Promise<TestSystem> {
  const cleanups = new AsyncDisposableStack();
  const database = await createTestDatabase();
  cleanups.defer(() => database.drop());
  const nats = await startTestNats();
  cleanups.defer(() => nats.stop());
  return {
    database,
    nats,
    cleanups,
    async startService(timings = {}, databaseUrl = database.url, ingestUrl) {
      const running = await startEvalRuns({ databaseUrl, natsUrl: nats.url, timings, ...(ingestUrl && { ingestUrl }) });
      cleanups.defer(() => running.service.stop());
      return running;
    },
    async startJudge(concurrency) {
      const judge = await startFakeJudge(nats.url, concurrency);
      cleanups.defer(() => judge.stop());
      return judge;
    },
    open(purpose) {
      const opened = openDatabase({
        url: database.url,
        role: rolesOf("evals")[purpose],
        applicationName: "test",
        connectionsMax: 2,
        statementTimeoutMs: 20_000,
        openProjects: purpose === "app" ? "evals.open_projects" : undefined,
        logger: quiet,
      });
      cleanups.defer(() => opened.close());
      return opened;
    },
    stop: () => cleanups.disposeAsync(),
  };
}
