import { type Database, openDatabase, rolesOf } from "@touchstone/db";
import { createTestDatabase, startTestNats, type TestDatabase, type TestNats, useStarted } from "@touchstone/testkit";
import type { Timings } from "../src/timings.ts";
import { type FakeIngest, startFakeIngest } from "./fake-ingest.ts";
import { type FakeJudge, startFakeJudge } from "./fake-judge.ts";
import { createProjectClient, type ProjectClient } from "./project-client.ts";
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

/** A system for the tests of the file that calls this. */
export const useTestSystem = (): TestSystem => useStarted(startTestSystem, (system) => system.stop());

/** A judge of the system, until the system ends. */
export const useJudge = (system: TestSystem): FakeJudge => useStarted(() => system.startJudge());

/** An ingest without traces, until the system ends. */
export function useFakeIngest(system: TestSystem): FakeIngest {
  return useStarted(async () => {
    const ingest = await startFakeIngest();
    system.cleanups.defer(() => ingest.stop());
    return ingest;
  });
}

/** One replica of the service, until the system ends; without `ingest` nothing listens at its address. */
export function useService(
  system: TestSystem,
  { timings, ingest }: { timings?: Partial<Timings>; ingest?: FakeIngest } = {},
): RunningService {
  return useStarted(() => system.startService(timings, undefined, ingest?.address));
}

/** A project of the service. */
export const useProject = (running: RunningService): ProjectClient =>
  useStarted(async () => createProjectClient(running.address));

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
