import { runScript } from "@touchstone/contracts";
import { afterAll, expect, test } from "vitest";
import { createHandlerRunner } from "../../src/scorers/code/run-handler.ts";
import { setUpSandbox } from "./sandbox-setup.ts";

const { sandbox } = setUpSandbox();
afterAll(() => sandbox.stop());
const runHandler = createHandlerRunner(sandbox);

const span = {
  parent_span_id: null,
  name: "s",
  input: null,
  output: "found",
  error: null,
  model: null,
  latency_ms: 1,
  input_tokens: null,
  output_tokens: null,
  tool_calls: null,
  metadata: null,
  started_at: "2026-01-02T03:04:05.678Z",
};

async function run(script: string) {
  const reply = await runHandler(
    {
      projectId: "019a2f6c-7d1e-7a3b-9c4d-5e6f70819203",
      script,
      input: "in",
      output: "out",
      expected: null,
      metadata: { channel: "web" },
      spans: [
        { ...span, span_id: "a", type: "agent" },
        { ...span, span_id: "b", type: "tool" },
      ],
    },
    { group: "p", signal: new AbortController().signal },
  );
  return runScript.reply.parse(reply);
}

const scored = (result: object) => ({
  result: { score: null, name: null, reason: null, metadata: null, ...result },
  failure: null,
});

test.each([
  ["function handler() { return 0.4; }", { score: 0.4 }],
  ["const handler = () => 7; // a last line without an end", { score: 1 }],
  ["function handler() { return -Infinity; }", { score: 0 }],
  ["function handler() { return null; }", {}],
  ["async function handler() {}", {}],
  [
    "function handler(input, output, expected, metadata) { return { score: 1, name: input + output, reason: String(expected), metadata }; }",
    { score: 1, name: "inout", reason: "null", metadata: { channel: "web" } },
  ],
  [
    "async function handler(i, o, e, m, trace) { const tools = await trace.getSpans({ spanType: 'tool' }); return { score: tools.length / (await trace.getSpans()).length, name: tools[0].output }; }",
    { score: 0.5, name: "found" },
  ],
  ["function handler() { return { score: 1, metadata: { much: 'x'.repeat(5000) } }; }", { score: 1 }],
])("%s", async (script, result) => {
  expect(await run(script)).toEqual(scored(result));
});

test.each([
  ["return 1;", 'The script must define a function named "handler"'],
  ["const handler = 4;", 'The script must define a function named "handler"'],
  ["function handler() { throw new Error('no'); }", "no"],
  ["async function handler() { throw new Error('later'); }", "later"],
  ["function handler() { return NaN; }", "The handler returned no number"],
  ["function handler() { return 'good'; }", "The handler must return null, a number or { score, name?, metadata? }"],
  ["const handler = () => new Promise(() => {});", "The handler waits for something that never comes"],
  ["function handler() { for (;;) {} }", "The script did not finish within 8000 ms"],
  ["async function handler() { for (;;) await null; }", "The script did not finish within 8000 ms"],
  ["function handler() { return fetch('http://127.0.0.1'); }", "'fetch' is not defined"],
])("the script %s has no score, and reports why", async (script, message) => {
  expect(await run(script)).toEqual({ result: null, failure: { message, isLasting: true } });
});
