import { limits } from "@touchstone/contracts/limits";
import {
  AppError,
  elementsOf,
  isJsonObject,
  type JsonMember,
  type JsonObject,
  membersOf,
  objectText,
} from "@touchstone/service-kit/thread";

const optionalTexts = ["description", "acceptanceCriteria", "rejectionCriteria", "evaluationCriteria"] as const;
const metrics = ["vectorSimilarity", "jaccardSimilarity", "bleuScore", "rougeScore"] as const;
/** Settings of other features, which check them on use; here they are only stored. */
const keptObjects = ["sovereigntyIndex", "thresholds"] as const;

/**
 * The checked members that datasets and grading configs have in common, in the order in which they are stored (completions 3.1,
 * 4.1). Values are texts: objects and code scorers stay as they were sent. Throws `bad_request` with the specified message for
 * the first rule that is broken.
 */
export function composeGradingMembers(
  { value, texts }: { value: JsonObject["value"]; texts: ReadonlyMap<string, string> },
  createId: () => string,
): JsonMember[] {
  const members: JsonMember[] = [];
  const keep = (name: string, valueText = texts.get(name) as string) => members.push({ name, valueText });

  if (!isFilled(value.name)) throw new AppError("bad_request", "name is required");
  keep("name");
  for (const name of optionalTexts) {
    if (isAbsent(value[name])) continue;
    if (typeof value[name] !== "string") throw new AppError("bad_request", `${name} must be a string`);
    keep(name);
  }
  keep("numberOfRequests", String(readNumberOfRequests(value.numberOfRequests)));
  for (const name of metrics) {
    const metric = value[name];
    if (isJsonObject(metric) && metric.enabled === true) keep(name, composeMetric(name, metric.model));
  }
  for (const name of keptObjects) {
    if (isAbsent(value[name])) continue;
    if (!isJsonObject(value[name])) throw new AppError("bad_request", `${name} must be an object`);
    keep(name);
  }
  const codeScorers = isAbsent(value.codeScorers)
    ? []
    : composeCodeScorers(value.codeScorers, texts.get("codeScorers") as string, createId);
  if (codeScorers.length > 0) keep("codeScorers", `[${codeScorers.join(",")}]`);
  return members;
}

function readNumberOfRequests(value: unknown): number {
  if (typeof value !== "number") return 1;
  if (!Number.isInteger(value) || value < 1 || value > limits.datasetRequestsMax) {
    throw new AppError("bad_request", `numberOfRequests must be an integer between 1 and ${limits.datasetRequestsMax}`);
  }
  return value;
}

/** A metric is stored only when it is enabled. */
function composeMetric(name: (typeof metrics)[number], model: unknown): string {
  return JSON.stringify(name === "vectorSimilarity" && isFilled(model) ? { enabled: true, model } : { enabled: true });
}

/** Code scorers with code, each with an id (completions 6.1). */
function composeCodeScorers(value: unknown, text: string, createId: () => string): string[] {
  if (!Array.isArray(value) || !value.every(isJsonObject)) {
    throw new AppError("bad_request", "codeScorers must be an array of objects");
  }
  if (value.length > limits.codeScorersMax) {
    throw new AppError("bad_request", `codeScorers must have at most ${limits.codeScorersMax} entries`);
  }
  const texts = elementsOf(text);
  return value.flatMap((scorer, index) => {
    if (!isFilled(scorer.code)) return [];
    if (!isAbsent(scorer.language) && scorer.language !== "javascript") {
      throw new AppError("bad_request", 'language must be "javascript"');
    }
    const scorerText = texts[index] as string;
    if (isFilled(scorer.id)) return [scorerText];
    const members = membersOf(scorerText).filter((member) => member.name !== "id");
    return [objectText([{ name: "id", valueText: JSON.stringify(createId()) }, ...members])];
  });
}

const isAbsent = (value: unknown): value is null | undefined => value === undefined || value === null;
/** A non-blank text. */
const isFilled = (value: unknown): value is string => typeof value === "string" && value.trim() !== "";
