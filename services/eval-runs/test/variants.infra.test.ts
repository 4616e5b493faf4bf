import { paraphraseQuery } from "@touchstone/contracts";
import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { z } from "zod";
import { createProjectClient, type ProjectClient } from "./project-client.ts";
import { useJudge, useService, useTestSystem } from "./test-system.ts";

type Asked = z.output<typeof paraphraseQuery.body>;
type Reply = z.input<typeof paraphraseQuery.reply>;

let client: ProjectClient;
let asked: Asked[];
let paraphrase: (body: Asked) => Promise<Reply> | Reply;

const system = useTestSystem();
const judge = useJudge(system);

beforeAll(async () => {
  await judge.bus.answer(
    paraphraseQuery,
    async (body) => {
      asked.push(body);
      return paraphrase(body);
    },
    { concurrency: 8 },
  );
});

const running = useService(system, { timings: { variantsMs: 2_000 } });

beforeEach(() => {
  asked = [];
  client = createProjectClient(running.address);
  paraphrase = ({ query, count }) => ({
    variants: Array.from({ length: count }, (_, index) => `${query} (${index + 1})`),
    failure: null,
  });
});

const question = (query: string, smokeTest?: object) => ({ main_question: { query, ...(smokeTest && { smokeTest }) } });

async function create(...questions: object[]) {
  const datasetId = await client.createDataset({ name: "Orders", questions });
  const { status, body } = await client.send("POST", "/runs", { datasetId });
  expect(status).toBe(201);
  return body;
}

describe("paraphrase variants of a run", () => {
  test("are made when it is created, for the questions that ask for them, in the order of the questions", async () => {
    const run = await create(
      question("Plain?"),
      question("Three?", { enabled: true, count: 3, guidance: "Everyday words." }),
      question("Off?", { enabled: false, count: 3 }),
      question("Default?", { enabled: true }),
      question("None?", { enabled: true, count: 0 }),
    );

    expect(run.smokeTestVariants).toEqual([
      { questionIndex: 1, variants: ["Three? (1)", "Three? (2)", "Three? (3)"] },
      { questionIndex: 3, variants: ["Default? (1)"] },
    ]);
    expect(asked.sort((one, other) => other.count - one.count)).toMatchObject([
      { projectId: client.projectId, query: "Three?", count: 3, guidance: "Everyday words.", model: null },
      { query: "Default?", count: 1, guidance: null },
    ]);
    expect((await client.readRun(run.runId)).smokeTestVariants).toEqual(run.smokeTestVariants);
  });

  test("are not made for a replay, which calls no provider", async () => {
    const datasetId = await client.createDataset({
      name: "Orders",
      questions: [question("Three?", { enabled: true })],
    });

    const { status, body } = await client.send("POST", "/runs", { datasetId, verdictMode: "replay" });

    expect([status, body.smokeTestVariants, asked]).toEqual([201, null, []]);
  });

  test("are null when no question asks", async () => {
    const run = await create(question("Plain?"));
    expect(run.smokeTestVariants).toBeNull();
    expect((await client.readRun(run.runId)).smokeTestVariants).toBeNull();
    expect(asked).toEqual([]);
  });

  test("are missing where the judge could not, failed or took too long, and the run is there all the same", async () => {
    paraphrase = async ({ query }) => {
      if (query === "Key?") return { variants: [], failure: { reason: "no_key", message: "It needs a key." } };
      if (query === "Broken?") throw new Error("broken");
      return query === "Slow?" ? new Promise(() => undefined) : { variants: ["Fine!"], failure: null };
    };
    const asking = { enabled: true };

    const run = await create(
      question("Key?", asking),
      question("Broken?", asking),
      question("Slow?", asking),
      question("Fine?", asking),
    );

    expect(run.smokeTestVariants).toEqual([
      { questionIndex: 0, variants: [] },
      { questionIndex: 1, variants: [] },
      { questionIndex: 2, variants: [] },
      { questionIndex: 3, variants: ["Fine!"] },
    ]);
  });

  test("are as many as twenty of a question", async () => {
    const run = await create(question("Many?", { enabled: true, count: 20 }));
    expect(run.smokeTestVariants[0].variants).toHaveLength(20);
  });
});
