import { createHash } from "node:crypto";
import type { JudgedCase, JudgeRubric } from "@touchstone/contracts";
import { takesTemperature, type WireApi } from "../providers/request-shape.ts";

/** Everything one verdict depends on. */
export interface VerdictQuestion {
  api: WireApi;
  /** Host and port of the provider. */
  host: string;
  model: string;
  /** Of the wording, of how it is assembled, and of the form of the reply. */
  promptVersion: string;
  rubric: JudgeRubric;
  judged: JudgedCase;
  /** Repetitions of a case are judged each for itself. */
  runNumber: number;
}

/**
 * The address of a verdict (decision 21): SHA-256 over the canonical JSON of what the judge is asked and where. What
 * it is asked for is not part of it: no run, project, name, id or time. Two rubrics that read the same are the same
 * rubric. A judge that sees nothing of the trace is the same whatever the trace was.
 */
export function addressOf(question: VerdictQuestion): Buffer {
  const { rubric, judged } = question;
  const content: CanonicalValue = {
    api: question.api,
    host: question.host,
    model: question.model,
    parameters: { temperature: takesTemperature(question.model) ? 0 : null },
    prompt: question.promptVersion,
    rubric: dropAbsent({
      acceptanceCriteria: rubric.acceptanceCriteria,
      rejectionCriteria: rubric.rejectionCriteria,
      evaluationCriteria: rubric.evaluationCriteria,
      judgePrompt: rubric.judgePrompt,
      toolContext: rubric.toolContext,
    }),
    case: dropAbsent({ ...judged, trajectory: rubric.toolContext === "none" ? null : judged.trajectory }),
    runNumber: question.runNumber,
  };
  return createHash("sha256").update(writeCanonically(content)).digest();
}

/** What a case has not is left out, so that a member that later versions add changes no address where it is absent. */
function dropAbsent(members: Readonly<Record<string, unknown>>): CanonicalValue {
  const present = Object.entries(members).filter(
    ([, value]) => value !== null && !(Array.isArray(value) && value.length === 0),
  );
  return Object.fromEntries(present) as CanonicalValue;
}

/** What canonical JSON can say. A member that is undefined is absent. */
type CanonicalValue =
  | string
  | number
  | boolean
  | null
  | readonly CanonicalValue[]
  | { readonly [name: string]: CanonicalValue | undefined };

/**
 * JSON in which the same value is always the same text: members ordered by their names' UTF-16 units, no white space,
 * numbers as JavaScript writes them, half surrogate pairs escaped.
 */
export function writeCanonically(value: CanonicalValue): string {
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(writeCanonically).join(",")}]`;
  const members = Object.entries(value as Record<string, CanonicalValue | undefined>)
    .filter((member): member is [string, CanonicalValue] => member[1] !== undefined)
    .sort(([left], [right]) => (left < right ? -1 : 1));
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${writeCanonically(member)}`).join(",")}}`;
}
