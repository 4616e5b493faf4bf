import { createdCiRun, recordedGates } from "@touchstone/contracts";
import { expect } from "vitest";
import type { z } from "zod";
import { type JudgeBody, type JudgeReply, rate } from "./fake-judge.ts";
import { createProjectClient, type HttpAnswer, type ProjectClient } from "./project-client.ts";

/** A project's client that speaks as a pipeline does. */
export interface CiClient extends ProjectClient {
  /** GET without a body, else POST; `path` is what follows `/api/v1/ingest`. */
  ask(path: string, body?: unknown): Promise<HttpAnswer>;
  /** A dataset of `count` questions, `Question 0?` and so on. */
  createCiDataset(ci?: object, more?: object, count?: number): Promise<string>;
  start(datasetId: string, more?: object): Promise<z.output<typeof createdCiRun>>;
  /** The id of a CI run on a new dataset. */
  startRun(ci?: object, more?: object, count?: number): Promise<string>;
  submitTo(ciRunId: string, body: object): Promise<HttpAnswer>;
  answer(ciRunId: string, questionIndex: number, output: unknown): Promise<HttpAnswer>;
  /** Answers the first questions at once. */
  answerInBulk(ciRunId: string, outputs: readonly unknown[]): Promise<HttpAnswer>;
  finalizeCi(ciRunId: string): Promise<HttpAnswer>;
  readCi(ciRunId: string): Promise<HttpAnswer>;
  listGates(): Promise<z.output<typeof recordedGates>["gates"]>;
}

export function createCiClient(address: string): CiClient {
  const client = createProjectClient(address);
  const ask = (path: string, body?: unknown) =>
    client.sendTo(body === undefined ? "GET" : "POST", `/api/v1/ingest${path}`, body);
  const createCiDataset = (ci: object = {}, more: object = {}, count = 5) =>
    client.createDataset({ name: "Orders", questions: buildQuestions(count), ci, ...more });
  const submitTo = (ciRunId: string, body: object) => ask(`/ci-runs/${ciRunId}/results`, body);

  async function start(datasetId: string, more: object = {}) {
    const { status, body } = await ask("/ci-runs", { dataset_id: datasetId, ...more });
    expect(status).toBe(201);
    return createdCiRun.parse(body);
  }

  return {
    ...client,
    ask,
    createCiDataset,
    start,
    startRun: async (...dataset) => (await start(await createCiDataset(...dataset))).run_id,
    submitTo,
    answer: (ciRunId, questionIndex, output) => submitTo(ciRunId, { question_index: questionIndex, output }),
    answerInBulk: (ciRunId, outputs) =>
      submitTo(ciRunId, { results: outputs.map((output, index) => ({ question_index: index, output })) }),
    finalizeCi: (ciRunId) => ask(`/ci-runs/${ciRunId}/finalize`, {}),
    readCi: (ciRunId) => ask(`/ci-runs/${ciRunId}`),
    listGates: async () => recordedGates.parse((await client.sendTo("GET", "/api/v1/evaluate/ci/gates")).body).gates,
  };
}

export const buildQuestions = (count: number): object[] =>
  Array.from({ length: count }, (_, index) => ({ main_question: { query: `Question ${index}?` } }));

/** The behaviour of a judge that uses the answer as the rating. */
export const rateOutput = ({ case: { output } }: JudgeBody): JudgeReply => rate(Number(output), `Rated ${output}.`);

/** An answer with the envelope of most errors. */
export const refusal = (status: number, error: string) => ({ status, body: { error } });
