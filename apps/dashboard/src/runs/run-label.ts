import { readSubject, subjectLabel } from "../blocks/run-subject.ts";
import { formatTime } from "../ui/format.ts";

interface Labelled {
  _id: string;
  evaluationSubject: Readonly<Record<string, unknown>> | null;
  createdAt: string;
}

/** `refund-agent 1.4.0`, or the beginning of the run's id if its subject has neither. */
export function runName({ _id, evaluationSubject }: Pick<Labelled, "_id" | "evaluationSubject">): string {
  return subjectLabel(readSubject(evaluationSubject)) ?? `run ${_id.slice(0, 13)}`;
}

/** The same with the commit and the time, to distinguish runs of one version. */
export function runLabel(run: Labelled): string {
  const { branch, commit } = readSubject(run.evaluationSubject);
  return [runName(run), branch, commit, formatTime(run.createdAt)].filter((part) => part !== null).join(" · ");
}

/**
 * The version of the judge of a run, of its `versions`, newest first. A run's judge is frozen when the run is created;
 * an imported run may be judged at any time later, so that its version is not known.
 */
export function judgeVersionOf(
  { runSource, createdAt }: { runSource: string; createdAt: string },
  versions: readonly { versionNumber: number; createdAt: string }[],
): number | undefined {
  if (runSource === "external") return undefined;
  return versions.find((version) => version.createdAt <= createdAt)?.versionNumber;
}
