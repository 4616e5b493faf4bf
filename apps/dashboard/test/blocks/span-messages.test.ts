import { expect, test } from "vitest";
import { spanMessages } from "../../src/blocks/span-messages.ts";

const question = { speaker: "user", parts: [{ kind: "text", text: "Where is my refund?" }] };
const answer = { speaker: "assistant", parts: [{ kind: "text", text: "On its way." }] };
const stored = { name: "lookup", input: { id: 1 }, output: { ok: true }, success: true, latencyMs: 12 };
const lookup = {
  kind: "call",
  id: null,
  name: "lookup",
  input: { id: 1 },
  result: { kind: "result", id: null, name: null, output: { ok: true }, error: null, latencyMs: 12 },
};

test("an agent's question, the tools it called and its answer", () => {
  const span = {
    name: "agent",
    spanKind: "agent",
    input: "Where is my refund?",
    output: "On its way.",
    toolCalls: [stored],
  };
  expect(spanMessages(span)).toEqual([question, { speaker: "assistant", parts: [lookup] }, answer]);
});

test("an agent of which only the last call is among its messages shows all that the trace has", () => {
  const failed = { name: "refund", input: {}, success: false, error: "Timeout", latencyMs: 20_000 };
  const output = { role: "assistant", content: "", tool_calls: [{ id: "c9", name: "refund", arguments: {} }] };
  const messages = spanMessages({
    name: "agent",
    spanKind: "agent",
    input: "Where is my refund?",
    output,
    toolCalls: [stored, failed],
  });
  expect(messages).toHaveLength(2);
  expect(messages[1]?.parts).toMatchObject([{ name: "lookup" }, { name: "refund", result: { error: "Timeout" } }]);
});

test("a model's answer that calls a tool gets what the trace stored of that call", () => {
  const output = { role: "assistant", content: "", tool_calls: [{ id: "c1", name: "lookup", arguments: { id: 1 } }] };
  const messages = spanMessages({
    name: "chat",
    spanKind: "llm",
    input: [{ role: "user", content: "Where is my refund?" }],
    output,
    toolCalls: [stored],
  });
  expect(messages).toEqual([question, { speaker: "assistant", parts: [{ ...lookup, id: "c1" }] }]);
});

test("results follow the calls they answer, by id or by name; one without a call stays", () => {
  const input = [
    { role: "model", parts: [{ functionCall: { name: "lookup", args: { id: 1 } } }] },
    { role: "user", parts: [{ functionResponse: { name: "lookup", response: { ok: true } } }] },
    { role: "tool", tool_call_id: "unknown", content: "late" },
  ];
  const messages = spanMessages({ name: "chat", spanKind: "llm", input });
  expect(messages).toHaveLength(2);
  expect(messages[0]?.parts[0]).toMatchObject({ kind: "call", result: { output: { ok: true } } });
  expect(messages[1]?.parts[0]).toMatchObject({ kind: "result", output: "late" });
});

test("OpenTelemetry's whole conversation is taken where input and output show a text of it", () => {
  const metadata = {
    otel: {
      messages: {
        input: [
          { role: "system", content: "Be kind." },
          { role: "user", content: "Where is my refund?" },
        ],
      },
    },
  };
  const messages = spanMessages({
    name: "agent",
    spanKind: "agent",
    input: "Where is my refund?",
    output: "On its way.",
    metadata,
  });
  expect(messages).toEqual([{ speaker: "system", parts: [{ kind: "text", text: "Be kind." }] }, question, answer]);
});

test("an answer that the input ends with, too, is said once", () => {
  const input = [
    { role: "user", content: "Where is my refund?" },
    { role: "assistant", content: "On its way." },
  ];
  expect(spanMessages({ name: "chat", spanKind: "llm", input, output: "On its way." })).toEqual([question, answer]);
});

test("a tool's span is its call with what came back", () => {
  expect(
    spanMessages({
      name: "execute_tool lookup",
      spanKind: "tool",
      input: { id: 1 },
      output: '{"ok":true}',
      toolCalls: [stored],
    }),
  ).toEqual([{ speaker: "tool", parts: [lookup] }]);
  const [bare] = spanMessages({ name: "lookup", spanKind: "tool", input: { id: 1 } });
  expect(bare?.parts).toEqual([{ kind: "call", id: null, name: "lookup", input: { id: 1 } }]);
});

test("what a search found is a list of documents with their scores", () => {
  const output = [
    { id: "doc-1", score: 0.91, content: "Paris is mild." },
    { content: "Lyon is warm.", metadata: { score: 0.4 } },
  ];
  expect(spanMessages({ name: "search", spanKind: "retrieval", input: "Paris weather", output })).toEqual([
    { speaker: "input", parts: [{ kind: "text", text: "Paris weather" }] },
    {
      speaker: "output",
      parts: [
        {
          kind: "documents",
          documents: [
            { id: "doc-1", score: 0.91, content: "Paris is mild." },
            { id: null, score: 0.4, content: "Lyon is warm." },
          ],
        },
      ],
    },
  ]);
});

test("a span that says nothing has no messages", () => {
  expect(spanMessages({ name: "step", spanKind: "chain" })).toEqual([]);
});
