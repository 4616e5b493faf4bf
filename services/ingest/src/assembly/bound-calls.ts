import type { ComposableSpan, Lent } from "./composable.ts";
import { absent, callsCharsMax, type LentCall } from "./compose-calls.ts";

/** Bounds what is kept of calls that are lent to rows, while they are read. */
export interface CallBounds {
  /** What one row lends, without the texts of its calls where everybody it lends to has more than can be shown. */
  fit(lent: Lent): Lent;
}

/** Texts up to here are kept all the same: fifty of them are little. */
const shortChars = 1_000;
/** More than a row shows: some of its calls are of the same call and are left out. */
const keptCharsMax = 2 * callsCharsMax;

/** A row shows a megabyte of calls, but may borrow of fifty rows that have as much each. */
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

function charsOf({ tools, told }: Lent): number {
  let chars = 0;
  for (const { members } of [...tools, ...(told?.asked ?? [])])
    for (const text of members.values()) chars += text.length;
  for (const text of told?.answered.values() ?? []) chars += text.length;
  return chars;
}

function withoutTexts(lent: Lent): Lent {
  const { tools, told } = lent;
  const cut = told && {
    asked: told.asked.map(cutCall),
    answered: new Map([...told.answered].map(([id, text]) => [id, text.length > shortChars ? absent : text])),
  };
  return { ...lent, tools: tools.map(cutCall), told: cut };
}

function cutCall(call: LentCall): LentCall {
  const members = new Map(call.members);
  for (const name of ["input", "output"]) {
    if ((members.get(name)?.length ?? 0) > shortChars) members.set(name, absent);
  }
  return { ...call, members };
}
