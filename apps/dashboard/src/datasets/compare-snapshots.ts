import type { Question } from "./queries.ts";

export interface CaseChange {
  /** The places before and after; null where the case is not there. */
  before: { index: number; question: Question } | null;
  after: { index: number; question: Question } | null;
}

export interface SnapshotChanges {
  cases: { added: CaseChange[]; removed: CaseChange[]; changed: CaseChange[] };
  /** The members besides the cases whose values differ; undefined where a member is absent. */
  settings: { name: string; before: unknown; after: unknown }[];
}

type Snapshot = Readonly<Record<string, unknown>>;

/**
 * The changes between two versions of a dataset. Equal cases are paired at any position; of the others, cases with the
 * same question are one changed case, and so are cases at the same position.
 */
export function compareSnapshots(before: Snapshot, after: Snapshot): SnapshotChanges {
  const old = placed(before.questions);
  const fresh = placed(after.questions);
  pairOff(old, fresh, ({ question }) => JSON.stringify(question));
  const changed = [
    ...pairOff(old, fresh, ({ question }) => question.main_question.query),
    ...pairOff(old, fresh, ({ index }) => String(index)),
  ].sort((one, other) => (one.after?.index ?? 0) - (other.after?.index ?? 0));
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  names.delete("questions");
  return {
    cases: {
      added: [...fresh].map((case_) => ({ before: null, after: case_ })),
      removed: [...old].map((case_) => ({ before: case_, after: null })),
      changed,
    },
    settings: [...names]
      .map((name) => ({ name, before: before[name], after: after[name] }))
      .filter((member) => JSON.stringify(member.before) !== JSON.stringify(member.after)),
  };
}

type Placed = { index: number; question: Question };

const placed = (questions: unknown): Set<Placed> =>
  new Set(((questions ?? []) as Question[]).map((question, index) => ({ index, question })));

/** Removes the cases with equal keys from both sets, in order, and returns the pairs. */
function pairOff(old: Set<Placed>, fresh: Set<Placed>, keyOf: (placed: Placed) => string): CaseChange[] {
  const byKey = Map.groupBy(old, keyOf);
  const pairs: CaseChange[] = [];
  for (const after of [...fresh]) {
    const before = byKey.get(keyOf(after))?.shift();
    if (before === undefined) continue;
    old.delete(before);
    fresh.delete(after);
    pairs.push({ before, after });
  }
  return pairs;
}

const partNames: Readonly<Record<string, string>> = {
  query: "question",
  expectedResults: "expected answer",
  judgeGuideline: "guideline",
  retrievalContext: "context",
  expectedRetrievalContext: "expected context",
  expectedTrajectory: "expected tools",
  smokeTest: "variants",
  follow_up_questions: "follow-ups",
  source: "from",
};

/** The parts of a case that differ, by the names the pages have for them; a case that is not there has no parts. */
export function differingParts(
  before: Question | undefined,
  after: Question | undefined,
): { name: string; before: unknown; after: unknown }[] {
  const [old, fresh] = [partsOf(before), partsOf(after)];
  return [...new Set([...Object.keys(fresh), ...Object.keys(old)])]
    .filter((name) => JSON.stringify(old[name]) !== JSON.stringify(fresh[name]))
    .map((name) => ({ name: partNames[name] ?? name, before: old[name], after: fresh[name] }));
}

function partsOf(question: Question | undefined): Record<string, unknown> {
  if (question === undefined) return {};
  const { main_question: main, ...rest } = question;
  return { ...main, ...rest };
}
