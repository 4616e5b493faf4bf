import { limits } from "@touchstone/contracts";
import { decodeJsonText, runAtOnce, scanMembers, uuidv7 } from "@touchstone/service-kit";
import fc from "fast-check";
import { expect, test } from "vitest";
import { renderExportedSpan } from "../src/export/render-exported-span.ts";
import { readExportedSpan } from "../src/import/read-exported-span.ts";
import type { IncomingSpan } from "../src/model/span.ts";
import { prepareSpans } from "../src/recording/prepare-span.ts";
import { showDetail } from "../src/traces/show-trace.ts";
import { readSubmittedTrace } from "../src/traces/submitted-trace.ts";
import { jsonText, objectText } from "./json-arbitrary.ts";

/** Values that go the whole way a trace goes, but for PostgreSQL; traces.infra.test.ts sends some through that too. */
const valuesCount = process.env.TOUCHSTONE_LONG_TESTS === "1" ? 100_000 : 5_000;
const valuesOfTrace = 10;
const seed = 20_261_121;
const projectId = uuidv7(Date.now());

test("JSON values come back literal by literal, from reading, from an export and from its import", {
  timeout: 240_000,
}, async () => {
  const parts = fc.record({
    input: fc.array(anyDepth(), { minLength: 4, maxLength: 4 }),
    output: anyDepth(),
    metadata: objectText(anyDepth()),
    performanceSummary: objectText(),
    tools: fc.tuple(jsonText(), anyDepth(), jsonText()),
  });
  let compared = 0;
  await fc.assert(
    fc.asyncProperty(parts, async (sent) => {
      const input = `[${sent.input.join(" ,\n")}]`;
      const [toolInput, toolOutput, extra] = sent.tools;
      const body = `\ufeff{"name":"x","input":${input},"output":${sent.output},"metadata":${sent.metadata},
        "performance_summary":${sent.performanceSummary},
        "tool_calls":[{"input":${toolInput},"output":${toolOutput},"__proto__":${extra}}]}`;
      const texts = {
        input,
        output: sent.output,
        metadata: sent.metadata,
        performanceSummary: sent.performanceSummary,
        toolCalls: `[{"input":${toolInput},"output":${toolOutput},"__proto__":${extra},"success":true}]`,
      };

      const { type, members } = scanMembers(decodeJsonText(Buffer.from(body)));
      const stored = await store(readSubmittedTrace(type, members).span);
      expectTexts(Buffer.concat(await showDetail(stored, { estimatedCostUSD: null, scores: [] })), texts);

      const line = await renderLine(stored);
      const oneLine = Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, onOneLine(text)]));
      expectTexts(line, oneLine as typeof texts);
      const imported = scanMembers(decodeJsonText(line)).members;
      if (imported === null) throw new Error("an exported line is no object");
      expect(await renderLine(await store(runAtOnce(readExportedSpan(imported, Date.now()))))).toEqual(line);
      compared += valuesOfTrace;
    }),
    { numRuns: valuesCount / valuesOfTrace, seed, endOnFailure: true },
  );
  expect(compared).toBe(valuesCount);
});

/** Most values are shallow; some nest to the limit. */
function anyDepth(): fc.Arbitrary<string> {
  const nested = fc.tuple(jsonText(), fc.integer({ min: 1, max: limits.jsonDepthMax - 20 })).map(([text, depth]) => {
    const opens = Array.from({ length: depth }, (_, level) => (level % 2 === 0 ? "[" : '{"":'));
    const closes = opens.map((open) => (open === "[" ? "]" : "}")).reverse();
    return opens.join("") + text + closes.join("");
  });
  return fc.oneof({ weight: 19, arbitrary: jsonText() }, { weight: 1, arbitrary: nested });
}

/** A span as it comes out of the store, without the store. */
async function store(span: IncomingSpan) {
  const context = { projectId, nowMs: Date.now(), fieldCharsMax: null, agentId: null, monitor: null, patternIds: null };
  const { rows } = await prepareSpans([span], context);
  const [row] = rows;
  if (row === undefined) throw new Error("a span made no row");
  return {
    ...row,
    inputTokens: null,
    outputTokens: null,
    cacheReadTokens: null,
    cacheWriteTokens: null,
    traceKey: null,
    derived: null,
    startedAtMicros: null,
    endedAtMicros: null,
    judgeScores: null,
    topic: null,
  };
}

async function renderLine(span: Awaited<ReturnType<typeof store>>): Promise<Buffer> {
  return Buffer.from(onOneLine((await renderExportedSpan(span, projectId)).toString()));
}

/** The change of a line by a stream of lines: a break between tokens becomes a space. */
function onOneLine(text: string): string {
  return text.replaceAll(/[\r\n]/g, " ");
}

function expectTexts(answer: Buffer, texts: Readonly<Record<string, string>>): void {
  const { members } = scanMembers(answer.toString());
  for (const [name, text] of Object.entries(texts)) {
    if (members?.get(name)?.text !== text) expect(members?.get(name)?.text, name).toBe(text);
  }
}
