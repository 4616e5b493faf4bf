/** A person's label on a drawn trace. */
export type Said = "pass" | "fail" | "skip";

/** A user labels drawn traces, one after the other. */
export interface LabelSession {
  traceIds: readonly string[];
  /** Index of the current trace; the number of traces when all are labelled. */
  at: number;
  said: Readonly<Record<string, Said>>;
  /** The labels stored by the API. */
  stored: Readonly<Record<string, Said>>;
}

export function startSession(traceIds: readonly string[]): LabelSession {
  return { traceIds, at: 0, said: {}, stored: {} };
}

/** Labels the current trace and moves to the next. */
export function say(session: LabelSession, said: Said): LabelSession {
  const traceId = session.traceIds[session.at];
  if (traceId === undefined) return session;
  return { ...session, at: session.at + 1, said: { ...session.said, [traceId]: said } };
}

/** Returns to the previous trace and removes its label. A stored label remains until it is replaced. */
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

/** Takes the mark of a label back, which the API did not store after all: the label is to be stored again. */
export function unmarkStored(session: LabelSession, traceId: string, said: Said): LabelSession {
  if (session.stored[traceId] !== said) return session;
  const { [traceId]: _, ...stored } = session.stored;
  return { ...session, stored };
}

/**
 * The labels to store now. The last label waits for the next one, so that an undo leaves no vote; when the session `ends`,
 * nothing waits.
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

/** The number of traces for each label. */
export function tallyOf({ said }: LabelSession): Record<Said, number> {
  const all = Object.values(said);
  const count = (word: Said): number => all.filter((each) => each === word).length;
  return { pass: count("pass"), fail: count("fail"), skip: count("skip") };
}
