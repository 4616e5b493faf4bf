/** A person's label on a drawn trace. */
export type Said = "pass" | "fail" | "skip";

/** A user labels drawn traces, one after the other. */
export interface LabelSession {
  traceIds: readonly string[];
  /** Which one is in sight; the number of traces when all are done. */
  at: number;
  said: Readonly<Record<string, Said>>;
  /** The labels that the API has. */
  stored: Readonly<Record<string, Said>>;
}

export function startSession(traceIds: readonly string[]): LabelSession {
  return { traceIds, at: 0, said: {}, stored: {} };
}

/** Labels the trace in sight and goes on to the next. */
export function say(session: LabelSession, said: Said): LabelSession {
  const traceId = session.traceIds[session.at];
  if (traceId === undefined) return session;
  return { ...session, at: session.at + 1, said: { ...session.said, [traceId]: said } };
}

/** Returns to the previous trace and removes its label. A stored one stays until it is replaced. */
export function undo(session: LabelSession): LabelSession {
  const at = Math.max(0, session.at - 1);
  const traceId = session.traceIds[at];
  if (traceId === undefined || at === session.at) return session;
  const { [traceId]: _, ...said } = session.said;
  return { ...session, at, said };
}

export function markStored(session: LabelSession, traceId: string, said: Said): LabelSession {
  return { ...session, stored: { ...session.stored, [traceId]: said } };
}

/**
 * The labels to store now. The last one waits for the one after it, so that it can be undone without a trace; when the
 * session `ends`, nothing waits.
 */
export function labelsToStore(
  session: LabelSession,
  { ends }: { ends: boolean },
): { traceId: string; said: "pass" | "fail" }[] {
  const through = ends ? session.at : session.at - 1;
  return session.traceIds.slice(0, Math.max(0, through)).flatMap((traceId) => {
    const said = session.said[traceId];
    if (said === undefined || said === "skip" || session.stored[traceId] === said) return [];
    return [{ traceId, said }];
  });
}

/** How many traces were said what. */
export function tallyOf({ said }: LabelSession): Record<Said, number> {
  const all = Object.values(said);
  const count = (word: Said): number => all.filter((each) => each === word).length;
  return { pass: count("pass"), fail: count("fail"), skip: count("skip") };
}
