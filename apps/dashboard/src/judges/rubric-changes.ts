const labels: Readonly<Record<string, string>> = {
  name: "Name",
  description: "Description",
  evaluationCriteria: "What is rated",
  acceptanceCriteria: "Accept when",
  rejectionCriteria: "Reject when",
  judgePrompt: "Prompt template",
  judgeModel: "Model",
  toolContext: "Sees of the trace",
  requiresExpected: "Needs an expected result",
};

type Snapshot = Readonly<Record<string, unknown>>;

export interface RubricChange {
  key: string;
  label: string;
  before: string;
  after: string;
}

/** The members in which two versions differ, as texts, in the order of a rubric; the other settings come last. */
export function diffRubrics(before: Snapshot, after: Snapshot): RubricChange[] {
  const others = [...new Set([...Object.keys(before), ...Object.keys(after)])].filter((key) => !(key in labels)).sort();
  return [...Object.keys(labels), ...others].flatMap((key) => {
    const change = { key, label: labels[key] ?? key, before: textOf(before[key]), after: textOf(after[key]) };
    return change.before === change.after ? [] : [change];
  });
}

function textOf(value: unknown): string {
  if (value === undefined || value === null) return "";
  if (typeof value === "boolean") return value ? "yes" : "no";
  return typeof value === "string" ? value : JSON.stringify(value, null, 2);
}
