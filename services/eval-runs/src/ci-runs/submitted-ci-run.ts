import { isStorable, limits } from "@touchstone/contracts";
import {
  AppError,
  isJsonObject,
  type JsonMember,
  type JsonObject,
  memberText,
  objectText,
} from "@touchstone/service-kit";
import { readEither } from "./ci-request.ts";

/** The body of `POST /ingest/ci-runs`. */
export interface SubmittedCiRun {
  datasetId: string;
  agentName: string | null;
  /** Null = the dataset's threshold. */
  passRateThreshold: number | null;
  /** JSON text as it was sent. */
  gitContext: string | null;
}

/** Reads the body of `POST /ingest/ci-runs` (completions 8.2). Throws `bad_request` for the first rule that is broken. */
export function readSubmittedCiRun(body: JsonObject): SubmittedCiRun {
  const datasetId = readEither(body.value, "dataset_id", "datasetId").value;
  if (typeof datasetId !== "string" || datasetId.trim() === "") refuse("dataset_id is required");
  return {
    datasetId: datasetId as string,
    passRateThreshold: readThreshold(readEither(body.value, "pass_rate_threshold", "passRateThreshold").value),
    agentName: readAgentName(readEither(body.value, "agent_name", "agentName").value),
    gitContext: readGitContext(body),
  };
}

/** The subject of the evaluation run behind a CI run, as JSON text (completions 8.2). */
export function composeSubject({ agentName, gitContext }: SubmittedCiRun): string {
  const members: JsonMember[] = [{ name: "kind", valueText: '"ci"' }];
  if (agentName !== null) members.push({ name: "displayName", valueText: JSON.stringify(agentName) });
  if (gitContext !== null) members.push({ name: "git", valueText: gitContext });
  return objectText(members);
}

function readThreshold(value: unknown): number | null {
  if (value === null) return null;
  if (typeof value === "number" && value >= 0 && value <= 1) return value;
  return refuse("pass_rate_threshold must be a number between 0 and 1");
}

function readAgentName(value: unknown): string | null {
  if (value === null) return null;
  const most = limits.ciAgentNameMaxChars;
  if (typeof value === "string" && value.length <= most && isStorable(value)) return value;
  return refuse(`agent_name must be plain text of at most ${most} characters`);
}

function readGitContext({ text, value }: JsonObject): string | null {
  const { name, value: gitContext } = readEither(value, "git_context", "gitContext");
  if (gitContext === null) return null;
  if (!isJsonObject(gitContext)) refuse("git_context must be an object");
  const contextText = memberText(text, name) as string;
  if (Buffer.byteLength(contextText) > limits.gitContextMaxBytes) {
    refuse(`git_context must be at most ${limits.gitContextMaxBytes} bytes of JSON`);
  }
  return contextText;
}

function refuse(message: string): never {
  throw new AppError("bad_request", message);
}
