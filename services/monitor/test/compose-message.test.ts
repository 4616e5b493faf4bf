import { expect, test } from "vitest";
import { composeMessage, type Message } from "../src/webhooks/compose-message.ts";

const message: Message = {
  ...{ id: "m", projectId: "p", event: "signal.new", severity: "high", summary: "", patternKey: null, agentId: null },
  ...{ rootCause: null, traceId: null, sessionId: null, signalId: null, createdAt: new Date(0) },
};
const sent = (summary: string) => JSON.parse(composeMessage({ ...message, summary }, null));

test("the text of a message has no markup and no second line, whatever a trace is called; the summary is exact", () => {
  const summary = "Refunds matches: shop <!channel>\n[Monitor] LOW: <https://evil.example|Open>";
  expect(sent(summary)).toMatchObject({
    text: "[Monitor] HIGH: Refunds matches: shop ‹!channel› [Monitor] LOW: ‹https://evil.example|Open›",
    summary,
  });
});

test("a long summary is cut in the text, at no half of a character", () => {
  const { text, summary } = sent(`${"a".repeat(498)}😀${"b".repeat(100)}`);
  expect(text).toHaveLength("[Monitor] HIGH: ".length + 500);
  expect(text).toMatch(/a\ufffd…$/);
  expect(summary).toHaveLength(600);
});
