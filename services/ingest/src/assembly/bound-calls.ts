import type { ComposableSpan, Lent } from "./composable.ts";
import { absent, callsCharsMax, type LentCall } from "./compose-calls.ts";

/** Bounds the memory of lent calls while they are read. */
export interface CallBounds {
  /** The calls of one row, without their texts if every borrower already has more than it can show. */
  fit(lent: Lent): Lent;
}

/** Shorter texts are always kept: fifty of them are small. */
const shortChars = 1_000;
/** More than a row shows, because some calls are duplicates and are left out. */
const keptCharsMax = 2 * callsCharsMax;

/** A row shows one megabyte of calls, but may borrow from fifty rows that have as much each. */
export function boundCalls(spans: readonly Omit<ComposableSpan, "body">[]): CallBounds {
  const borrowers = new Map<string, { chars: number }[]>();
  for (const { derived } of spans) {
    const borrower = { chars: 0 };
    for (const id of [...(derived?.toolsFrom ?? []), ...(derived?.callsFrom ?? [])]) {
      borrowers.set(id, [...(borrowers.get(id) ?? []), borrower]);
    }
  }
  return {
    fit(lent) {
      const of = borrowers.get(lent.id);
      if (of === undefined) return lent;
      if (of.every(({ chars }) => chars > keptCharsMax)) return withoutTexts(lent);
      const chars = charsOf(lent);
      for (const borrower of of) borrower.chars += chars;
      return lent;
    },
  };
}

function charsOf({ tools, messageCalls }: Lent): number {
  let chars = 0;
  for (const { members } of [...tools, ...(messageCalls?.asked ?? [])])
    for (const text of members.values()) chars += text.length;
  for (const text of messageCalls?.answered.values() ?? []) chars += text.length;
  return chars;
}

function withoutTexts(lent: Lent): Lent {
  const { tools, messageCalls } = lent;
  const cut = messageCalls && {
    asked: messageCalls.asked.map(cutCall),
    answered: new Map([...messageCalls.answered].map(([id, text]) => [id, text.length > shortChars ? absent : text])),
  };
  return { ...lent, tools: tools.map(cutCall), messageCalls: cut };
}

function cutCall(call: LentCall): LentCall {
  const members = new Map(call.members);
  for (const name of ["input", "output"]) {
    if ((members.get(name)?.length ?? 0) > shortChars) members.set(name, absent);
  }
  return { ...call, members };
}
