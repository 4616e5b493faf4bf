import { looselyParsed } from "../messages/json-text.ts";
import { readConversation } from "../messages/read-conversation.ts";
import type { JsonText } from "../model/span.ts";
import { showInput, showOutput } from "../otlp/mapping/shape-content.ts";

/**
 * What a row shows of the input or output that another row lends it. A root shows what was asked and answered, where
 * its lender, a call of a model, shows the whole conversation (otlp 5.4).
 */
export function lendSide(side: "input" | "output", text: JsonText, lender: string, borrower: string): JsonText {
  if (lender !== "llm" || borrower === "llm") return text;
  const conversation = readConversation(looselyParsed(text));
  if (conversation === null) return text;
  const shown = side === "input" ? showInput : showOutput;
  return shown(conversation.messages, borrower).json ?? text;
}
