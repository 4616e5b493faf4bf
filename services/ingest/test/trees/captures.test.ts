import { describe, expect, test } from "vitest";
import { decodeFixture, readFixture } from "../otlp/corpus.ts";
import { type ComparedRow, cutIntoExports, seededRandom, spansOf, storeInMemory, traceCaptures } from "./exports.ts";

const seeds = Number(process.env.TREE_SEEDS ?? 25);

describe.each(traceCaptures)("$name", (capture) => {
  test("ends up in the same rows whatever order its spans come in, however they are cut, with replays", async () => {
    const spans = await spansOf(capture);
    const whole = await storeInMemory([spans]);
    expect(whole).toHaveLength(new Set(spans.map(({ spanId }) => spanId)).size);
    for (let seed = 1; seed <= seeds; seed += 1) {
      const exports = cutIntoExports(spans, seededRandom(seed));
      expect(await storeInMemory(exports), `seed ${seed}`).toEqual(whole);
    }
  });

  test("makes the golden roots of its traces", async () => {
    const rows = await storeInMemory([await spansOf(capture)]);
    const roots = `${JSON.stringify(
      rows.filter(({ isRoot }) => isRoot).map(({ netTokens: _net, tools: _tools, ...row }) => row),
      null,
      2,
    )}\n`;
    await expect(roots).toMatchFileSnapshot(`golden/${capture.name.replace("/", "-")}.json`);
  });
});

/** Of the run of the weather agent: input, output, and the producer's cache read, cache write and reasoning. */
const totals: Record<string, string> = {
  "claude-agent-sdk/01": "{130,24,64,10,NULL}",
  // Two calls of one model, and one of Anthropic's flavour beside them.
  "langfuse/01": "{370,72,192,10,16}",
  "langsmith/01": "{240,48,128,NULL,16}",
  "openinference-langchain/01": "{240,48,128,NULL,16}",
  "openinference-openai/01": "{240,48,128,NULL,16}",
  "otel-openai/03": "{240,48,NULL,NULL,NULL}",
  "traceloop/01": "{240,48,NULL,NULL,NULL}",
  "vercel-ai-v4/01": "{240,48,128,NULL,16}",
  "vercel-ai-v5/01": "{240,48,NULL,NULL,NULL}",
  "vercel-ai-v7-genai/01": "{240,48,128,NULL,NULL}",
  "vercel-ai-v7-legacy/01": "{240,48,128,NULL,16}",
};

test.each(Object.entries(totals))("the agent run of %s used what its calls used, once", async (name, tokens) => {
  const root = await agentRun(name);
  expect(root.tokens).toBe(tokens);
});

test.each(Object.entries(totals))("the usage of the spans of %s adds up to that of its roots", async (name) => {
  const rows = await rowsOf(name);
  const added = [0, 1, 2, 3, 4].map((at) => rows.reduce((sum, row) => sum + (row.netTokens?.[at] ?? 0), 0));
  const roots = rows.filter(({ isRoot }) => isRoot).map(({ tokens }) => (tokens ?? "{}").slice(1, -1).split(","));
  expect(added).toEqual([0, 1, 2, 3, 4].map((at) => roots.reduce((sum, counts) => sum + (Number(counts[at]) || 0), 0)));
});

/** The Claude Agent SDK's run called no tool; OpenTelemetry's OpenAI instrumentation tells of calls in logs alone. */
const untold = ["claude-agent-sdk/01", "otel-openai/03"];

test.each(Object.keys(totals).filter((name) => !untold.includes(name)))(
  "the agent run of %s shows its one call of a tool",
  async (name) => {
    const { derived } = (await agentRun(name)) as { derived: { toolsFrom: string[] } };
    expect(derived.toolsFrom).toHaveLength(1);
  },
);

async function rowsOf(name: string): Promise<ComparedRow[]> {
  const capture = traceCaptures.find((candidate) => candidate.name === name);
  if (capture === undefined) throw new Error(`there is no capture ${name}`);
  return storeInMemory([await spansOf(capture)]);
}

async function agentRun(name: string): Promise<ComparedRow> {
  const rows = await rowsOf(name);
  const roots = rows.filter(({ isRoot, tokens }) => isRoot && tokens !== null);
  return roots.sort((left, right) => weight(right) - weight(left))[0] as ComparedRow;
}

function weight({ tokens }: ComparedRow): number {
  return Number(/\d+/.exec(tokens ?? "0")?.[0] ?? 0);
}

interface Convention {
  file: string;
  expect: { root?: Record<string, unknown> };
}

const { files }: { files: Convention[] } = JSON.parse(readFixture("_conventions/manifest.json").toString());

describe.each(files)("$file", ({ file, expect: expected }) => {
  test("gives its root the sums, the agent and the calls that only its trace knows", async () => {
    const { spans } = await decodeFixture(`_conventions/${file}`);
    const rows = await storeInMemory([spans]);
    const root = rows.find(({ isRoot }) => isRoot) as ComparedRow;
    const [input, output, cacheRead, cacheWrite] = (root.tokens ?? "{}").slice(1, -1).split(",");
    const counts: Record<string, string | undefined> = {
      inputTokens: input,
      outputTokens: output,
      cacheReadTokens: cacheRead,
      cacheWriteTokens: cacheWrite,
    };
    const wanted = expected.root ?? {};
    for (const [field, count] of Object.entries(counts)) {
      if (wanted[field] !== undefined) expect(count, field).toBe(String(wanted[field]));
    }
    if (wanted.agentName !== undefined) expect(root.agent).toBe(wanted.agentName);
    if (wanted.name !== undefined) expect(root.name).toBe(wanted.name);
    if (wanted.sessionId !== undefined) expect(root.sessionId).toBe(wanted.sessionId);
    if (wanted.toolCalls !== undefined) {
      const { toolsFrom = [] } = (root.derived ?? {}) as { toolsFrom?: string[] };
      const tools = spans.filter(({ spanId }) => toolsFrom.includes(spanId as string));
      const names = tools.map(({ toolCalls }) => JSON.parse(toolCalls ?? "[]")[0].name);
      expect(names).toEqual(wanted.toolCalls);
    }
    if (file === "plain-http-autoinstrumentation.json") {
      expect(root.derived).toMatchObject({ inputFrom: expect.any(String), outputFrom: expect.any(String) });
    }
  });
});
