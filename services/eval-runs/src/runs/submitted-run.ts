import { isStorable, limits, type VerdictMode, verdictMode } from "@touchstone/contracts";
import {
  AppError,
  isJsonObject,
  type JsonMember,
  type JsonObject,
  membersOf,
  memberText,
  objectText,
} from "@touchstone/service-kit";

/** The body of `POST .../runs`. The subject and `sdk` are JSON texts as they were sent, including `split`. */
export interface SubmittedRun {
  datasetId: string;
  graders: NamedGraders;
  evaluationSubject: string | null;
  sdk: string | null;
  runSource: string;
  verdictMode: VerdictMode;
}

/** The graders a run names besides its dataset. */
export interface NamedGraders {
  evaluationSettingsId: string | null;
  scorerGroupId: string | null;
  /** Without duplicates. */
  additionalScorerIds: readonly string[];
}

/** Reads the body of `POST .../runs` (completions 5.1). Throws `bad_request` for the first rule that is broken. */
export function readSubmittedRun(body: JsonObject): SubmittedRun {
  const { value } = body;
  if (typeof value.datasetId !== "string" || value.datasetId === "") refuse("datasetId is required");
  return {
    datasetId: value.datasetId as string,
    graders: readNamedGraders(value),
    evaluationSubject: readSubject(body),
    sdk: readObject(body, "sdk"),
    runSource: readRunSource(value),
    verdictMode: readVerdictMode(value.verdictMode),
  };
}

/** The graders that a body names. Throws `bad_request` for the first mistake. */
export function readNamedGraders(value: JsonObject["value"]): NamedGraders {
  return {
    evaluationSettingsId: readText(value, "evaluationSettingsId"),
    scorerGroupId: readText(value, "scorerGroupId"),
    additionalScorerIds: readScorerIds(value.additionalScorerIds),
  };
}

function readScorerIds(ids: unknown): string[] {
  if (ids === undefined || ids === null) return [];
  if (!Array.isArray(ids) || !ids.every((id) => typeof id === "string")) {
    refuse("additionalScorerIds must be an array of strings");
  }
  const unique = [...new Set<string>(ids as string[])];
  if (unique.length > limits.additionalScorersMax) {
    refuse(`additionalScorerIds must have at most ${limits.additionalScorersMax} entries`);
  }
  return unique;
}

/** The subject as sent; `split` beside it becomes a member of it (completions 5.1). */
function readSubject(body: JsonObject): string | null {
  const subject = readObject(body, "evaluationSubject");
  if (readText(body.value, "split") === null) return subject;
  const members: JsonMember[] = subject === null ? [] : membersOf(subject);
  const split: JsonMember = { name: "split", valueText: memberText(body.text, "split") as string };
  return objectText([...members.filter((member) => member.name !== "split"), split]);
}

function readRunSource(value: JsonObject["value"]): string {
  const runSource = readText(value, "runSource") ?? "sdk";
  // Such a run is never a baseline (interface: Run, runSource), so only trace evaluation may create one.
  if (runSource === "trace-eval") refuse('runSource must not be "trace-eval"');
  if (runSource.length > runSourceMaxChars || !isStorable(runSource)) {
    refuse(`runSource must be plain text of at most ${runSourceMaxChars} characters`);
  }
  return runSource;
}

function readVerdictMode(mode: unknown): VerdictMode {
  if (mode === undefined || mode === null) return "live";
  const known = verdictMode.safeParse(mode);
  return known.success ? known.data : refuse('verdictMode must be "live", "cache" or "replay"');
}

const runSourceMaxChars = 64;

function readText(value: JsonObject["value"], name: string): string | null {
  const text = value[name];
  if (text === undefined || text === null) return null;
  if (typeof text !== "string") refuse(`${name} must be a string`);
  return text as string;
}

function readObject({ text, value }: JsonObject, name: string): string | null {
  if (value[name] === undefined || value[name] === null) return null;
  if (!isJsonObject(value[name])) refuse(`${name} must be an object`);
  return memberText(text, name) as string;
}

function refuse(message: string): never {
  throw new AppError("bad_request", message);
}
