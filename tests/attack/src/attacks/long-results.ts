import type { Attack } from "../attack.ts";
import { untilOver } from "../attacker/at-once.ts";
import { characterClasses, fill } from "../payloads/characters.ts";

const evaluations = "/custom-agent-evaluations";
const metric = { enabled: true };

/** Results that every metric compares with a long expected answer. */
export const longResults: Attack = {
  name: "long-results",
  does: "Batches of ten results of 1 MB of words, compared with an answer as long by every similarity metric, context and trajectory.",
  setting: "projects",
  async prepare({ random, openTenant, clientOf, over }) {
    const client = clientOf(await openTenant("long results"));
    const words = (length: number): string =>
      random.chance(0.5)
        ? fill(`${random.pick(characterClasses)} `, length)
        : Array.from({ length: length / 6 }, () => random.integer(10_000, 99_999)).join(" ");
    const tools = Array.from({ length: 5_000 }, (_tool, at) => `tool ${at}`);
    const datasetId = await client.make(`${evaluations}/datasets`, {
      name: "long",
      questions: [
        {
          main_question: {
            query: "a",
            expectedResults: words(1_000_000),
            expectedRetrievalContext: words(1_000_000),
            expectedTrajectory: { tools, mode: "unordered" },
          },
        },
      ],
      rougeScore: metric,
      bleuScore: metric,
      jaccardSimilarity: metric,
      vectorSimilarity: metric,
    });
    const runId = await client.make(`${evaluations}/runs`, { datasetId });
    return () =>
      untilOver({ atOnce: 2, over }, async (number) => {
        const text = words(900_000);
        const results = Array.from({ length: 10 }, (_result, at) => ({
          idempotencyKey: `${number}-${at}`,
          questionIndex: 0,
          output: { text: `${at} ${text}` },
        }));
        await client.post(`${evaluations}/runs/${runId}/results`, { batchId: String(number), results });
        await client.get(`${evaluations}/runs/${runId}?limit=200`);
        await client.get(`${evaluations}/runs/${runId}/report`);
      });
  },
};
