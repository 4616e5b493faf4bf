import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { createClient } from "../src/client.ts";
import { accessTo, quick, startImport } from "../src/langfuse-import.ts";
import { startScriptedLangfuse } from "../src/scripted-langfuse.ts";
import { useCombined } from "../src/use-combined.ts";

/** What changes in Langfuse between two imports with journals of their own. */
let folder: string;

const { system } = useCombined();

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "touchstone-import-"));
});

afterAll(async () => {
  if (folder !== undefined) await rm(folder, { recursive: true, force: true });
});

test.each([3, 4] as const)(
  "a value of version %i that was changed and changed back is taken over again",
  async (major) => {
    const langfuse = await startScriptedLangfuse({ major, observations: 20 });
    onTestFinished(() => langfuse.stop());
    const { traces, observations, scores, items, datasets } = langfuse.project;
    const made = await createClient(system).send("POST", "/projects", { name: `changes ${major}` });
    const { apiKey } = (made.body as { project: { apiKey: string } }).project;
    const client = createClient({ url: system.url, apiKey });

    let day = 0;
    /** Changes one value of each kind, and imports all with another journal. */
    const importValue = async (value: string, number: number): Promise<void> => {
      day += 1;
      const updatedAt = new Date(Date.UTC(2026, 1, day)).toISOString();
      Object.assign(traces[0] ?? {}, { updatedAt, output: value });
      // The root, and a call below it.
      Object.assign(observations[0] ?? {}, { updatedAt, output: value });
      Object.assign(observations[3] ?? {}, { updatedAt, output: value, usageDetails: { input: number, output: 5 } });
      Object.assign(scores[0] ?? {}, { updatedAt, value: number });
      Object.assign(items[1] ?? {}, { updatedAt, expectedOutput: value });
      Object.assign(datasets[0] ?? {}, { updatedAt, description: value });
      const args = [...quick, "--journal", `journal ${major} ${day}`];
      const { code, log } = await startImport({ system: { url: system.url, apiKey }, folder }, args, accessTo(langfuse))
        .ended;
      expect(code, log).toBe(0);
    };
    /** The values that Touchstone shows of these rows. */
    const shown = async () => {
      const read = async (path: string) => (await client.send("GET", path)).body as never;
      const asClient = async (path: string) => {
        const answer = await fetch(`${system.url}/api/public${path}`, { headers: { "x-api-key": apiKey } });
        return (await answer.json()) as Record<string, unknown>;
      };
      const listed: { traces: { _id: string; name: string }[] } = await read("/ingest/traces?limit=100");
      const rootId = listed.traces.find(({ name }) => name === "trace 0")?._id;
      const { spans }: { spans: { _id: string; name: string }[] } = await read(`/ingest/traces/${rootId}/outline`);
      // The first observation is the agent.
      const call = spans.filter(({ name }) => name === "llm")[2];
      const details: { output: unknown; inputTokens: unknown }[] = await Promise.all(
        [rootId, call?._id].map((id) => read(`/ingest/traces/${id}`)),
      );
      const score: { score: { value: unknown } } = await read(`/scores/${scores[0]?.id}`);
      const item = await asClient(`/dataset-items/${items[1]?.id}`);
      const dataset = await asClient(`/v2/datasets/${encodeURIComponent(String(datasets[0]?.name))}`);
      return {
        outputs: details.map(({ output }) => output),
        tokens: details[1]?.inputTokens,
        score: score.score.value,
        expectedOutput: item.expectedOutput,
        description: dataset.description,
      };
    };
    const values = (value: string, number: number) => {
      const ofDataset = { expectedOutput: value, description: value };
      return { outputs: [value, value], tokens: number, score: number, ...ofDataset };
    };

    await importValue("first", 7);
    expect(await shown()).toEqual(values("first", 7));
    await importValue("second", 8);
    expect(await shown()).toEqual(values("second", 8));
    await importValue("first", 7);
    expect(await shown()).toEqual(values("first", 7));
  },
);
