import type { Attack } from "../attack.ts";
import { untilOver } from "../attacker/at-once.ts";
import { watchEverything } from "./hostile-settings.ts";

const evaluations = "/custom-agent-evaluations";

/** The judge's provider answers every question with 64 KB that are hard to parse. */
export const hostileAnswers: Attack = {
  name: "hostile-answers",
  does: "Topics, live judges and a graded run whose model answers 64 KB of one character, unclosed or nested JSON.",
  setting: "projects",
  async prepare(scene) {
    const { openTenant, clientOf, over } = scene;
    const client = clientOf(await openTenant("hostile answers"));
    await watchEverything(scene, client);
    const question = { main_question: { query: "a", expectedResults: "b" } };
    const datasetId = await client.make(`${evaluations}/datasets`, { name: "hostile", questions: [question] });
    const runId = await client.make(`${evaluations}/runs`, { datasetId });
    return () =>
      untilOver({ atOnce: 4, pauseMs: 20, over }, async (number) => {
        if (number % 2 === 0)
          return client.post("/ingest/traces", { name: "asked", input: "a", output: `b ${number}` });
        const results = Array.from({ length: 10 }, (_result, at) => ({
          idempotencyKey: `${number}-${at}`,
          questionIndex: 0,
          output: { text: `${number}-${at}` },
        }));
        return client.post(`${evaluations}/runs/${runId}/results`, { batchId: String(number), results });
      });
  },
};
