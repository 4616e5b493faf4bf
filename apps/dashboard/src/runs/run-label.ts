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
