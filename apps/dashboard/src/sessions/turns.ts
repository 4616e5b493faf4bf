import type { ChatMessage } from "../blocks/message.ts";
import { spanMessages } from "../blocks/span-messages.ts";
import type { Turn } from "./queries.ts";

/**
 * The messages of one turn: the last user message and everything after it. Otherwise agents that send the full history with every
 * turn would repeat it. The first turn includes its instructions.
 */
export function turnMessages(turn: Turn, isFirst: boolean): ChatMessage[] {
  const messages = spanMessages(turn);
  const asked = messages.findLastIndex(({ speaker }) => speaker === "user");
  if (asked <= 0) return messages;
  const instructions = isFirst ? messages.slice(0, asked).filter(({ speaker }) => speaker === "system") : [];
  return [...instructions, ...messages.slice(asked)];
}

/** Totals over the loaded turns of a session; `null` if unknown. */
export function totalsOf(turns: readonly Turn[]) {
  const sum = (values: (number | null | undefined)[]): number | null => {
    const known = values.filter((value) => value != null);
    return known.length === 0 ? null : known.reduce((total, value) => total + value, 0);
  };
  return {
    latencyMs: sum(turns.map(({ latencyMs }) => latencyMs)),
    tokens: sum(turns.flatMap(({ inputTokens, outputTokens }) => [inputTokens, outputTokens])),
    failed: turns.filter(({ error }) => error !== undefined).length,
    firstAt: turns[0]?.createdAt ?? null,
    lastAt: turns.at(-1)?.createdAt ?? null,
  };
}
