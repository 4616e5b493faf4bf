import { createHash } from "node:crypto";
import type { JudgedCase, JudgeRubric } from "@touchstone/contracts";
import { takesTemperature, type WireApi } from "../providers/request-shape.ts";

/** The inputs that determine one verdict. */
export interface VerdictQuestion {
  api: WireApi;
  /** Host and port of the provider. */
  host: string;
  model: string;
  /** The version of the wording, the assembly, and the form of the reply. */
  promptVersion: string;
  rubric: JudgeRubric;
  judged: JudgedCase;
  /** Repetitions of a case are judged separately. */
  runNumber: number;
}

/**
 * The address of a verdict (decision 21): SHA-256 over the canonical JSON of the question and the provider. Run, project, name,
 * id and time are not part of it. Two rubrics with the same text are the same rubric. What a judge does not see of the trace
 * makes no difference.
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
    case: dropAbsent({ ...judged, trajectory: shownTrajectory(question) }),
    runNumber: question.runNumber,
  };
  return createHash("sha256").update(writeCanonically(content)).digest();
}

/** The tools' definitions are shown to detailed judges alone. */
function shownTrajectory({ rubric: { toolContext }, judged: { trajectory } }: VerdictQuestion) {
  if (toolContext === "none" || trajectory === null) return null;
  return toolContext === "detailed" ? trajectory : { ...trajectory, toolDefinitions: [] };
}

/**
 * Absent members of a case are left out, so that a member added by a later version changes no address if it is absent.
 */
function dropAbsent(members: Readonly<Record<string, unknown>>): CanonicalValue {
  const present = Object.entries(members).filter(
    ([, value]) => value !== null && !(Array.isArray(value) && value.length === 0),
  );
  return Object.fromEntries(present) as CanonicalValue;
}

/** The values of canonical JSON. An undefined member is absent. */
type CanonicalValue =
  | string
  | number
  | boolean
  | null
  | readonly CanonicalValue[]
  | { readonly [name: string]: CanonicalValue | undefined };

/**
 * JSON in which equal values have equal texts: members sorted by their names' UTF-16 units, no white space, numbers as
 * JavaScript writes them, lone surrogates escaped.
 */
export function writeCanonically(value: CanonicalValue): string {
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(writeCanonically).join(",")}]`;
  const members = Object.entries(value as Record<string, CanonicalValue | undefined>)
    .filter((member): member is [string, CanonicalValue] => member[1] !== undefined)
    .sort(([left], [right]) => (left < right ? -1 : 1));
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${writeCanonically(member)}`).join(",")}}`;
}
