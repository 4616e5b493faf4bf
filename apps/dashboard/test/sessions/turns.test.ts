import { expect, test } from "vitest";
import type { Turn } from "../../src/sessions/queries.ts";
import { totalsOf, turnMessages } from "../../src/sessions/turns.ts";

const turn = (fields: Partial<Turn>): Turn => ({
  _id: "1",
  name: "agent",
  spanKind: "llm",
  judgeScores: null,
  source: "sdk",
  createdAt: "2026-01-01T00:00:00Z",
  inputTokens: null,
  outputTokens: null,
  ...fields,
});
const history = [
  { role: "system", content: "Be kind." },
  { role: "user", content: "Hello" },
  { role: "assistant", content: "Hi" },
  { role: "user", content: "Where is my parcel?" },
];
const texts = (one: Turn, isFirst: boolean) =>
  turnMessages(one, isFirst).map(
    ({ speaker, parts: [part] }) => `${speaker}: ${part?.kind === "text" ? part.text : part?.kind}`,
  );

test("a turn that carries the whole history shows what is new in it", () => {
  expect(texts(turn({ input: history, output: "On Friday." }), false)).toEqual([
    "user: Where is my parcel?",
    "assistant: On Friday.",
  ]);
});

test("the first turn shows the instructions", () => {
  expect(texts(turn({ input: history, output: "On Friday." }), true)[0]).toBe("system: Be kind.");
});

test("a turn without a user shows all it has", () => {
  expect(texts(turn({ input: [{ role: "system", content: "Start." }], output: "Done." }), false)).toEqual([
    "system: Start.",
    "assistant: Done.",
  ]);
});

test("totals are of what is known; of nothing there is no total", () => {
  expect(totalsOf([turn({ latencyMs: 5, inputTokens: 1 }), turn({ latencyMs: 7, error: "x" })])).toMatchObject({
    latencyMs: 12,
    tokens: 1,
    failed: 1,
  });
  expect(totalsOf([turn({})])).toMatchObject({ latencyMs: null, tokens: null });
  expect(totalsOf([])).toMatchObject({ firstAt: null });
});
