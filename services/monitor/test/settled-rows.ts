import { randomUUID } from "node:crypto";
import { uuidv7 } from "@touchstone/service-kit";
import { startTestNats, useStarted, useTestDatabase } from "@touchstone/testkit";
import { Client } from "pg";
import { type FakeIngest, startFakeIngest } from "./fake-ingest.ts";
import { createProjectClient, type ProjectClient, startMonitor } from "./start-monitor.ts";

export const hoursAgo = (hours: number): Date => new Date(Date.now() - hours * 3_600_000);

/** A monitor with a fake ingest, and a writer of rows to its database, for the tests of the file that calls this. */
export function useSettledRows(): {
  fakeIngest: FakeIngest;
  rows: ReturnType<typeof createSettledRows>;
  newProject(): ProjectClient;
} {
  const database = useTestDatabase();
  const nats = useStarted(
    () => startTestNats(),
    (started) => started.stop(),
  );
  const fakeIngest = useStarted(startFakeIngest, (ingest) => ingest.stop());
  const monitor = useStarted(
    () => startMonitor({ databaseUrl: database.url, natsUrl: nats.url, ingestUrl: fakeIngest.address }),
    ({ service }) => service.stop(),
  );
  const admin = useStarted(
    async () => {
      const client = new Client({ connectionString: database.adminUrl });
      await client.connect();
      return { client };
    },
    ({ client }) => client.end(),
  );
  const rows = createSettledRows({ query: (text, values) => admin.client.query(text, values) });
  return { fakeIngest, rows, newProject: () => createProjectClient(monitor.address) };
}

/** Writes rows as live monitoring leaves them. */
export function createSettledRows(admin: { query(text: string, values: unknown[]): Promise<unknown> }) {
  async function insert(table: string, row: Record<string, unknown>): Promise<void> {
    const names = Object.keys(row);
    const places = names.map((_name, index) => `$${index + 1}`);
    await admin.query(`insert into monitor.${table} (${names}) values (${places})`, Object.values(row));
  }

  return {
    insert,

    /** A trace that settled; answers its id. */
    async addRun(project: ProjectClient, run: Record<string, unknown> = {}): Promise<string> {
      const at = (run.created_at as Date | undefined) ?? hoursAgo(1);
      const row = {
        project_id: project.projectId,
        // The first moment of a trace is in its id.
        trace_id: uuidv7(at.getTime()),
        name: "shop",
        created_at: at,
        operational_class: "healthy-response",
        has_error: false,
        tool_calls: 0,
        settled_at: new Date(),
        ...run,
      };
      await insert("seen_traces", row);
      return row.trace_id;
    },

    async addVerdict(project: ProjectClient, traceId: string, verdict: Record<string, unknown>): Promise<void> {
      await insert("verdicts", {
        project_id: project.projectId,
        trace_id: traceId,
        id: randomUUID(),
        scorer_key: "online-eval:tone",
        scorer_name: "Tone",
        scorer_version: 1,
        threshold: 5,
        created_at: new Date(),
        ...verdict,
      });
    },

    async addVote(project: ProjectClient, traceId: string, rating: "up" | "down", at = hoursAgo(1)): Promise<void> {
      const [project_id, id] = [project.projectId, randomUUID()];
      await insert("feedback", { project_id, id, trace_id: traceId, rating, created_at: at });
    },
  };
}
