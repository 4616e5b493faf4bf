import { readSubject, shortCommit } from "../blocks/run-subject.ts";
import { countOf } from "../ui/format.ts";

/** The verdict of a gate or a CI run on a run, and the commit. */
export interface Verdict {
  key: string;
  runId: string;
  /** Whether it is a CI run, which has a separate page. */
  isCiRun: boolean;
  outcome: "passed" | "failed" | "expired" | "running";
  datasetId: string;
  branch: string | null;
  /** As much of it as git shows. */
  commit: string | null;
  /** The caller: the pipeline, or the caller's label. */
  caller: string | null;
  /** What decided, in a sentence. */
  reason: string;
  createdAt: string;
}

/** The name of a verdict's dataset; empty until names are read. */
export const datasetName = (names: ReadonlyMap<string, string> | undefined, id: string): string =>
  names === undefined ? "" : (names.get(id) ?? "deleted dataset");

interface RecordedGate {
  _id: string;
  runId: string;
  datasetId: string;
  branch: string | null;
  commit: string | null;
  passed: boolean;
  caller: string | null;
  checks: readonly { passed: boolean; detail: string }[];
  createdAt: string;
}

interface CiRun {
  run_id: string;
  dataset_id: string;
  status: "in_progress" | "completed" | "failed";
  gate: "pass" | "fail" | null;
  results_submitted: number;
  total_questions: number;
  pass_rate: number | null;
  created_at: string;
  git_context: Readonly<Record<string, unknown>> | null;
}

/** A kept verdict; what failed is why it failed, else all that was checked is why it passed. */
export function verdictOfGate(gate: RecordedGate): Verdict {
  const failing = gate.checks.filter(({ passed }) => !passed);
  return {
    key: gate._id,
    runId: gate.runId,
    isCiRun: false,
    outcome: gate.passed ? "passed" : "failed",
    datasetId: gate.datasetId,
    branch: gate.branch,
    commit: gate.commit && shortCommit(gate.commit),
    caller: gate.caller,
    reason: (failing.length > 0 ? failing : gate.checks).map(({ detail }) => detail).join(" "),
    createdAt: gate.createdAt,
  };
}

export function verdictOfCiRun(run: CiRun): Verdict {
  const { branch, commit } = readSubject({ git: run.git_context ?? {} });
  const triggeredBy = run.git_context?.triggered_by;
  return {
    key: run.run_id,
    runId: run.run_id,
    isCiRun: true,
    outcome: outcomeOf(run),
    datasetId: run.dataset_id,
    branch,
    commit,
    caller: typeof triggeredBy === "string" ? triggeredBy : null,
    reason: reasonOf(run),
    createdAt: run.created_at,
  };
}

function outcomeOf({ status, gate }: CiRun): Verdict["outcome"] {
  if (status === "in_progress") return "running";
  if (status === "failed") return "expired";
  return gate === "pass" ? "passed" : "failed";
}

function reasonOf({
  status,
  pass_rate: passRate,
  results_submitted: submitted,
  total_questions: total,
}: CiRun): string {
  if (status === "in_progress") return `${submitted} of ${countOf(total, "case")} answered so far.`;
  const passed = passRate === null ? "" : `${passedOf(passRate, total)} of ${countOf(total, "case")} passed.`;
  if (status === "failed")
    return `It was not finished within two hours. ${submitted} of ${countOf(total, "case")} answered.`;
  const missing = total - submitted;
  return missing > 0 ? `${passed} ${countOf(missing, "case was", "cases were")} not answered.` : passed;
}

/** The number of cases that passed: the API says only their share. */
export const passedOf = (passRate: number, total: number): number => Math.round(passRate * total);

/** The newest of two lists as one. What follows the last of them may be in either list, so it is where both go on. */
export function firstOfBoth(
  one: readonly Verdict[],
  other: readonly Verdict[],
  most: number,
): { verdicts: Verdict[]; nextCursor: string | null } {
  // Keys are ids, which are in the order of time.
  const all = [...one, ...other].sort((before, after) => (before.key < after.key ? 1 : -1));
  const verdicts = all.slice(0, most);
  return { verdicts, nextCursor: all.length < most ? null : (verdicts.at(-1)?.key ?? null) };
}

/** The branches that have verdicts, those with the newest first. */
export function branchesOf(verdicts: readonly Verdict[]): string[] {
  return [...new Set(verdicts.flatMap(({ branch }) => branch ?? []))];
}

/** The branch that is asked about most: `main`, else `master`, else the one with the newest verdict. */
export function defaultBranch(branches: readonly string[]): string | undefined {
  return ["main", "master"].find((name) => branches.includes(name)) ?? branches[0];
}

/** The newest decided verdict of each dataset on a branch. */
export function newestOn(verdicts: readonly Verdict[], branch: string): Verdict[] {
  const newest = new Map<string, Verdict>();
  for (const verdict of verdicts) {
    const isDecided = verdict.outcome !== "running";
    if (isDecided && verdict.branch === branch && !newest.has(verdict.datasetId))
      newest.set(verdict.datasetId, verdict);
  }
  return [...newest.values()];
}

/** The verdict that one is compared with: of those of its dataset before it the newest on its branch, else on the default branch. */
export function previousOn(before: readonly Verdict[], verdict: Verdict): Verdict | undefined {
  const decided = before.filter(({ outcome }) => outcome !== "running");
  const base = defaultBranch(branchesOf(before));
  return decided.find(({ branch }) => branch === verdict.branch) ?? decided.find(({ branch }) => branch === base);
}
