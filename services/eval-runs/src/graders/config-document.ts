import { isStorable, limits } from "@touchstone/contracts";
import { AppError, type JsonMember, type JsonObject, membersOf, objectText } from "@touchstone/service-kit";
import { composeGradingMembers } from "../grading/grading-members.ts";

/** The judge's criteria: the `judge` section of a judge scorer. */
export const judgeMembers = [
  "acceptanceCriteria",
  "rejectionCriteria",
  "evaluationCriteria",
  "judgePrompt",
  "judgeModel",
  "toolContext",
  "requiresExpected",
] as const;

/** The other settings of offline grading: its `offline` section, besides `isDefault` and `status`. */
export const offlineMembers = [
  "numberOfRequests",
  "vectorSimilarity",
  "jaccardSimilarity",
  "bleuScore",
  "rougeScore",
  "thresholds",
  "sovereigntyIndex",
  "codeScorers",
] as const;

const configMembers: ReadonlySet<string> = new Set(["name", "description", ...judgeMembers, ...offlineMembers]);
const toolContexts: readonly unknown[] = ["none", "simple", "detailed"];

/**
 * The document of a grading config (completions 4.1): members of `changes` replace those of `stored`; null removes a member.
 * Unknown members are left out. It is text, like a dataset's. Throws `bad_request` with the specified message for the first
 * rule that is broken.
 */
export function composeConfigDocument(
  changes: readonly JsonMember[],
  stored: string | null,
  createId: () => string,
): string {
  const members = new Map(
    [...(stored === null ? [] : membersOf(stored)), ...changes].map((member) => [member.name, member]),
  );
  const known = [...members.values()].filter((member) => configMembers.has(member.name));
  const texts = new Map(known.map(({ name, valueText }) => [name, valueText]));
  const body: ConfigBody = { texts, value: JSON.parse(objectText(known)) };
  const document = [...composeGradingMembers(body, createId), ...composeJudgeMembers(body)];
  // A judge that earlier versions stored may be longer; its other members can still be changed.
  if (changes.some(({ name }) => judgeTexts.has(name))) requireJudgeText(body.value);
  requireGraderName(body.value.name as string);
  return objectText(document);
}

/** The names of the members in which two documents differ. */
export function changedMembers(before: string, after: string): string[] {
  const old = new Map(membersOf(before).map(({ name, valueText }) => [name, valueText]));
  const current = new Map(membersOf(after).map(({ name, valueText }) => [name, valueText]));
  return [...new Set([...old.keys(), ...current.keys()])].filter((name) => old.get(name) !== current.get(name));
}

/** The parsed members of a config, and the text of each. */
interface ConfigBody {
  value: JsonObject["value"];
  texts: ReadonlyMap<string, string>;
}

function composeJudgeMembers({ texts, value }: ConfigBody): JsonMember[] {
  const members: JsonMember[] = [];
  for (const name of ["judgePrompt", "judgeModel"]) {
    const given = value[name];
    if (given === undefined || given === null) continue;
    if (typeof given !== "string") throw new AppError("bad_request", `${name} must be a string`);
    // A blank one counts as absent.
    if (given.trim() !== "") members.push({ name, valueText: texts.get(name) as string });
  }
  const toolContext = value.toolContext ?? "simple";
  if (!toolContexts.includes(toolContext)) {
    throw new AppError("bad_request", 'toolContext must be "none", "simple" or "detailed"');
  }
  const requiresExpected = value.requiresExpected ?? false;
  if (typeof requiresExpected !== "boolean") throw new AppError("bad_request", "requiresExpected must be a boolean");
  return [
    ...members,
    { name: "toolContext", valueText: JSON.stringify(toolContext) },
    { name: "requiresExpected", valueText: String(requiresExpected) },
  ];
}

const judgeTexts: ReadonlySet<string> = new Set([
  "acceptanceCriteria",
  "rejectionCriteria",
  "evaluationCriteria",
  "judgePrompt",
]);

/** What a judge reads goes into every run and announcement that has it. */
function requireJudgeText(value: JsonObject["value"]): void {
  const chars = [...judgeTexts].reduce((sum, name) => sum + String(value[name] ?? "").length, 0);
  if (chars <= limits.judgeTextMaxChars) return;
  throw new AppError(
    "bad_request",
    `The criteria and the prompt of a judge must have at most ${limits.judgeTextMaxChars} characters`,
  );
}

/** A name is shown in lists, reports and gates: printable text of bounded length. */
export function requireGraderName(name: string): void {
  if (name.length > limits.graderNameMaxChars || !isStorable(name)) {
    throw new AppError("bad_request", `name must be plain text of at most ${limits.graderNameMaxChars} characters`);
  }
}
