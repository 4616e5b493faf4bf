import type { CutDocument } from "./dataset-summary.ts";

/** The word for a change of each member of a document; members that share a word are reported once. */
const words: Readonly<Record<string, string>> = {
  name: "renamed",
  description: "description changed",
  numberOfRequests: "repetitions changed",
  acceptanceCriteria: "criteria changed",
  rejectionCriteria: "criteria changed",
  evaluationCriteria: "criteria changed",
  vectorSimilarity: "metrics changed",
  jaccardSimilarity: "metrics changed",
  bleuScore: "metrics changed",
  rougeScore: "metrics changed",
  codeScorers: "code scorers changed",
  thresholds: "thresholds changed",
  ci: "CI settings changed",
  sovereigntyIndex: "compared models changed",
};

/** The difference between two documents of a dataset without white space, in words: `3 cases added, criteria changed`. */
export function describeChange(before: CutDocument, after: CutDocument): string {
  const [old, current] = [before.texts, after.texts];
  const changed = [...new Set([...old.keys(), ...current.keys()])].filter(
    (name) => name !== "questions" && old.get(name) !== current.get(name),
  );
  const cases = describeCases(before.cases, after.cases);
  const parts = [...cases, ...changed.map((name) => words[name] ?? `${name} changed`)];
  return parts.length === 0 ? "reformatted" : [...new Set(parts)].join(", ");
}

function describeCases(old: readonly string[], current: readonly string[]): string[] {
  const removed = withoutEach(old, current);
  const added = withoutEach(current, old);
  if (removed.length === 0 && added.length === 0) {
    return old.some((text, index) => text !== current[index]) ? ["cases reordered"] : [];
  }
  // A case with the same query is the same case.
  const gone = removed.map(queryOf);
  const fresh = withoutEach(added.map(queryOf), gone).length;
  const changed = added.length - fresh;
  return [count(fresh, "added"), count(removed.length - changed, "removed"), count(changed, "changed")].flat();
}

const count = (cases: number, what: string): string[] =>
  cases === 0 ? [] : [`${cases} ${cases === 1 ? "case" : "cases"} ${what}`];

/** The elements of `list` that remain after each of `others` has removed one equal element. */
function withoutEach(list: readonly string[], others: readonly string[]): string[] {
  const taken = new Map<string, number>();
  for (const other of others) taken.set(other, (taken.get(other) ?? 0) + 1);
  return list.filter((element) => {
    const left = taken.get(element) ?? 0;
    taken.set(element, left - 1);
    return left <= 0;
  });
}

const queryOf = (questionText: string): string => JSON.parse(questionText).main_question.query;
