import { createRunReply, dataset, run, submitResultsReply } from "@touchstone/contracts";
import { buildDataset, buildResult, type ScriptedLlm, startScriptedLlm } from "@touchstone/testkit";
import type { z } from "zod";
import { type ApiClient, createClient } from "./client.ts";
import { startCombined } from "./start-combined.ts";

export const datasets = "/custom-agent-evaluations/datasets";
export const runs = "/custom-agent-evaluations/runs";

/** All services with a judge that gives the rating that an answer asks for, such as "rate me 7"; an unreadable one is skipped. */
export interface RatingSystem {
  client: ApiClient;
  llm: ScriptedLlm;
  /** Sets the judge's answer to requests for an analysis. */
  narrate(written: unknown): void;
  /** Returns the dataset's id. */
  createDataset(body: unknown): Promise<string>;
  /** Returns the id of a run of a new dataset. */
  createRun(body?: unknown): Promise<string>;
  submit(runId: string, results: unknown[], batchId?: string): Promise<z.infer<typeof submitResultsReply>>;
  readRun(runId: string): Promise<z.infer<typeof run>>;
  stop(): Promise<void>;
}

export async function startRatingSystem(): Promise<RatingSystem> {
  let narrative: unknown;
  const llm = await startScriptedLlm();
  llm.answerWith(({ prompt }) => {
    if (prompt.startsWith("Analyse the run.")) return { kind: "text", text: JSON.stringify(narrative) };
    const rating = /rate me (-?\d+)/.exec(prompt)?.[1];
    if (rating === undefined) return { kind: "text", text: "I would rather not say." };
    return { kind: "verdict", rating: Number(rating), justification: `Worth ${rating}.` };
  });
  const system = await startCombined({
    settings: { OPENAI_BASE_URL: llm.baseUrl, OPENAI_API_KEY: "sk-scripted", SERVICE_JUDGE_RETRIES: "0" },
  });
  const client = createClient(system);

  const createDataset = (body: unknown): Promise<string> =>
    client.expect({ status: 201, schema: dataset }, "POST", datasets, body).then(({ _id }) => _id);

  return {
    client,
    llm,
    narrate(written) {
      narrative = written;
    },
    createDataset,
    async createRun(body = buildDataset()) {
      const datasetId = await createDataset(body);
      return (await client.expect({ status: 201, schema: createRunReply }, "POST", runs, { datasetId })).runId;
    },
    submit: (runId, results, batchId = "batch") =>
      client.expect({ status: 200, schema: submitResultsReply }, "POST", `${runs}/${runId}/results`, {
        batchId,
        results,
      }),
    readRun: (runId) => client.expect({ status: 200, schema: run }, "GET", `${runs}/${runId}`),
    async stop() {
      await system.stop();
      await llm.stop();
    },
  };
}

/** A result whose output is a text. */
export const answer = (text: string, more = {}) => buildResult({ output: { text }, ...more });
