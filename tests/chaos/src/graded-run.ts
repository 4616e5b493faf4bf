import { createRunReply, dataset, evaluationSettings, run, submitResultsReply } from "@touchstone/contracts";
import { buildDataset, buildResult, type DatasetBody, type ResultBody } from "@touchstone/testkit";
import type { z } from "zod";
import { type ApiClient, createClient } from "../../integration/src/client.ts";
import type { Installation } from "./installation.ts";

const evaluations = "/custom-agent-evaluations";

type Scored = z.output<typeof submitResultsReply>;

/** A run of a project to which a test submits results. */
export interface GradedRun {
  id: string;
  /** The answer to a batch; the body is checked against its schema if the status is 200. */
  submit(results: readonly ResultBody[]): Promise<{ status: number; body: Scored }>;
  read(): Promise<z.output<typeof run>>;
  /** Rows in PostgreSQL, by idempotency key. */
  countRows(): Promise<Map<string, number>>;
}

/** Creates runs, each with a new dataset, in the default project. */
export interface Grading {
  client: ApiClient;
  startRun(graders?: { dataset?: Partial<DatasetBody>; run?: object }): Promise<GradedRun>;
  /** A judge with this model, as an additional judge or, as evaluation settings, the primary one. */
  createJudge(settings: object): Promise<string>;
}

export function openGrading(system: Installation): Grading {
  const client = createClient({ url: system.urls[0] as string, apiKey: system.apiKey });

  return {
    client,
    async startRun(graders = {}) {
      const made = await client.expect(
        { status: 201, schema: dataset },
        "POST",
        `${evaluations}/datasets`,
        buildDataset(graders.dataset),
      );
      const { runId } = await client.expect({ status: 201, schema: createRunReply }, "POST", `${evaluations}/runs`, {
        datasetId: made._id,
        ...graders.run,
      });
      let batches = 0;
      return {
        id: runId,
        async submit(results) {
          batches += 1;
          const body = { batchId: `batch-${batches}`, results };
          const answer = await client.send("POST", `${evaluations}/runs/${runId}/results`, body);
          if (answer.status !== 200) return { status: answer.status, body: answer.body as Scored };
          return { status: 200, body: submitResultsReply.parse(answer.body) };
        },
        read: () => client.expect({ status: 200, schema: run }, "GET", `${evaluations}/runs/${runId}`),
        async countRows() {
          const { rows } = await system.postgres.query<{ idempotency_key: string; n: number }>(
            "select idempotency_key #>> '{}' as idempotency_key, count(*)::int as n from evals.results where run_id = $1 group by 1",
            [runId],
          );
          return new Map(rows.map((row) => [row.idempotency_key, row.n]));
        },
      };
    },
    async createJudge(settings) {
      const body = { name: "A judge", ...settings };
      const created = { status: 201, schema: evaluationSettings };
      return (await client.expect(created, "POST", `${evaluations}/evaluation-settings`, body))._id;
    },
  };
}

/** Results that a provider's script can distinguish: each answer contains its name and is submitted under it. */
export function namedResults(names: readonly string[]): ResultBody[] {
  return names.map((name, index) =>
    buildResult({ idempotencyKey: name, runNumber: index + 1, output: { text: `The answer of ${name}.` } }),
  );
}

/** Numbered names: `prefix-0` and so on. */
export const numbered = (prefix: string, count: number): string[] =>
  Array.from({ length: count }, (_, index) => `${prefix}-${index}`);

/** The result of {@link GradedRun.countRows} when each of these has one row. */
export const oneRowEach = (names: readonly string[]): Map<string, number> => new Map(names.map((name) => [name, 1]));
