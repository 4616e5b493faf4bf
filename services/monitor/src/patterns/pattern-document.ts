import { isStorable, limits, type PatternCondition } from "@touchstone/contracts";
import { AppError } from "@touchstone/service-kit";
import type { DetectorKind, PatternDocument, PatternSource } from "./matching/pattern.ts";
import type { Looker, PatternMatcher } from "./matching/pattern-matcher.ts";

type Sent = Readonly<Record<string, unknown>>;

const sources: readonly unknown[] = ["response", "userMessage", "trace"];
const severities = ["low", "medium", "high", "critical"];
/** Members that conditions are derived from. */
const derived = ["detectorKind", "matchTarget", "matchMode", "includeTerms", "excludeTerms", "regex", "semanticPrompt"];

const refuse = (sentence: string): never => {
  throw new AppError("bad_request", sentence);
};

/**
 * The new content of a pattern: sent members, else stored ones. Throws `bad_request` for the first rule that is broken
 * (completions 9.3). Sent conditions are used as they are; they are derived again when a member that they depend on is sent.
 * {@link requireRegexes} checks regexes.
 */
export function composePatternDocument(sent: Sent, stored: PatternDocument | null): PatternDocument {
  const merged: Sent = { ...stored, ...withoutUndefined(sent) };
  const name = readName(merged.name);
  const severity = readChoice("severity", merged.severity, severities, "medium") as PatternDocument["severity"];
  const polarity = readChoice("polarity", merged.polarity, ["failure", "proper"], "failure") as "failure" | "proper";
  const matchTarget = readSources("matchTarget", merged.matchTarget);
  const matchMode = readChoice("matchMode", merged.matchMode, ["any", "all"], "any") as "any" | "all";
  const includeTerms = readTerms("includeTerms", merged.includeTerms);
  const excludeTerms = readTerms("excludeTerms", merged.excludeTerms);
  const regex = readText("regex", merged.regex, limits.regexMaxChars);
  const semanticPrompt = readText("semanticPrompt", merged.semanticPrompt);
  const description = readText("description", merged.description);
  const category = readText("category", merged.category);

  const own = Array.isArray(sent.conditions) && sent.conditions.length > 0;
  if (sent.conditions !== undefined && sent.conditions !== null && !Array.isArray(sent.conditions)) {
    refuse("conditions must be an array");
  }
  const keepsOwn = !own && stored?.hasOwnConditions === true && !derived.some((member) => sent[member] !== undefined);
  const made = makeConditions({ matchTarget, matchMode, includeTerms, excludeTerms, regex, semanticPrompt });
  const conditions = own
    ? readConditions(sent.conditions as readonly unknown[], matchTarget)
    : keepsOwn
      ? stored.conditions
      : made;
  if (!conditions.some(({ connector }, at) => at === 0 || connector !== "nor") || conditions.length === 0) {
    refuse("Add at least one condition (includeTerms, regex, or semanticPrompt)");
  }
  if (conditions.length > limits.patternConditionsMax + limits.patternTermsMax * 2) {
    refuse("A pattern has too many conditions");
  }
  const kinds: readonly unknown[] = ["contains", "regex", "semantic"];
  if (merged.detectorKind !== undefined && merged.detectorKind !== null && !kinds.includes(merged.detectorKind)) {
    refuse("detectorKind must be one of: contains, regex, semantic");
  }
  return {
    name,
    ...(description !== "" && { description }),
    ...(category !== "" && { category }),
    detectorKind: (merged.detectorKind as DetectorKind | undefined) ?? kindOf(conditions),
    matchTarget,
    matchMode,
    includeTerms,
    excludeTerms,
    ...(regex !== "" && { regex }),
    ...(semanticPrompt !== "" && { semanticPrompt }),
    conditions,
    hasOwnConditions: own || keepsOwn,
    severity,
    polarity,
    enabled: readFlag("enabled", merged.enabled, true),
    sampleRate: readRate("sampleRate", merged.sampleRate),
    scopeMode: readChoice("scopeMode", merged.scopeMode, ["all", "selected"], "all") as "all" | "selected",
    agentIds: readAgentIds(merged.agentIds),
  };
}

/**
 * Throws `bad_request` with the reason if a regex of a pattern is unusable (completions 9.3). `stored`: the previous content,
 * whose regexes were already accepted.
 */
export async function requireRegexes(
  { conditions }: Pick<PatternDocument, "conditions">,
  { matcher, stored, ...looker }: Looker & { matcher: Pick<PatternMatcher, "findRefusal">; stored?: PatternDocument },
): Promise<void> {
  const keyOf = ({ value, caseSensitive }: PatternCondition): string => `${caseSensitive} ${value}`;
  const isRegex = ({ detector }: PatternCondition): boolean => detector === "regex";
  const known = new Set(stored?.conditions.filter(isRegex).map(keyOf));
  const regexes = conditions.filter((condition) => isRegex(condition) && !known.has(keyOf(condition)));
  const refusal = await matcher.findRefusal(regexes, looker);
  if (refusal !== null) refuse(refusal);
}

/** `any` needs one of the terms, `all` needs every term; excluded terms must be absent. */
function makeConditions(
  from: Pick<PatternDocument, "matchTarget" | "matchMode" | "includeTerms" | "excludeTerms"> & {
    regex: string;
    semanticPrompt: string;
  },
): PatternCondition[] {
  const connector = from.matchMode === "all" ? "and" : "or";
  const sourcesOf = [...from.matchTarget];
  const condition = (
    detector: PatternCondition["detector"],
    value: string,
    how: PatternCondition["connector"] = connector,
  ): PatternCondition => ({ connector: how, negate: false, sources: sourcesOf, detector, value, caseSensitive: false });
  const included = [
    ...from.includeTerms.map((term) => condition("contains", term)),
    ...(from.regex === "" ? [] : [condition("regex", from.regex)]),
    ...(from.semanticPrompt === "" ? [] : [condition("semantic", from.semanticPrompt)]),
  ];
  if (included.length === 0) return [];
  return [...included, ...from.excludeTerms.map((term) => condition("contains", term, "nor"))];
}

function readConditions(sent: readonly unknown[], matchTarget: readonly PatternSource[]): PatternCondition[] {
  if (sent.length > limits.patternConditionsMax) {
    refuse(`conditions must have at most ${limits.patternConditionsMax} entries`);
  }
  return sent.map((each) => {
    if (typeof each !== "object" || each === null) return refuse("Every conditions entry must be an object");
    const condition = each as Sent;
    const detectors = ["phrase", "contains", "regex", "semantic"];
    const detector = readChoice("detector", condition.detector, detectors, null) as PatternCondition["detector"];
    const value = readText("value", condition.value);
    if (value === "") refuse("Every conditions entry needs a value");
    return {
      connector: readChoice("connector", condition.connector, ["and", "or", "nor"], "and") as "and" | "or" | "nor",
      negate: readFlag("negate", condition.negate, false),
      sources: condition.sources === undefined ? [...matchTarget] : readSources("sources", condition.sources),
      detector,
      value,
      caseSensitive: readFlag("caseSensitive", condition.caseSensitive, false),
    };
  });
}

function kindOf(conditions: readonly PatternCondition[]): DetectorKind {
  const detector = conditions[0]?.detector;
  return detector === "regex" || detector === "semantic" ? detector : "contains";
}

function readName(value: unknown): string {
  if (typeof value !== "string" || value.trim() === "") return refuse("Pattern name is required");
  if (value.length > limits.graderNameMaxChars) {
    refuse(`Pattern name must have at most ${limits.graderNameMaxChars} characters`);
  }
  return requireStorable("Pattern name", value);
}

/** An absent text is the empty one. */
function readText(member: string, value: unknown, maxChars: number = limits.patternTextMaxChars): string {
  if (value === undefined || value === null) return "";
  if (typeof value !== "string") return refuse(`${member} must be a string`);
  if (value.length > maxChars) refuse(`${member} must have at most ${maxChars} characters`);
  return value.trim() === "" ? "" : requireStorable(member, value);
}

function requireStorable(member: string, value: string): string {
  if (!isStorable(value)) refuse(`${member} must be text without NUL`);
  return value;
}

function readTerms(member: string, value: unknown): string[] {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value) || value.some((term) => typeof term !== "string")) {
    return refuse(`${member} must be an array of strings`);
  }
  if (value.length > limits.patternTermsMax) refuse(`${member} must have at most ${limits.patternTermsMax} entries`);
  return value.map((term) => readText(member, term)).filter((term) => term !== "");
}

function readSources(member: string, value: unknown): PatternSource[] {
  if (value === undefined || value === null) return ["response"];
  const all = Array.isArray(value) && value.length > 0 && value.every((source) => sources.includes(source));
  if (!all) return refuse(`${member} must be one or more of: response, userMessage, trace`);
  return [...new Set(value as PatternSource[])];
}

function readChoice(member: string, value: unknown, choices: readonly string[], otherwise: string | null): string {
  if ((value === undefined || value === null) && otherwise !== null) return otherwise;
  if (typeof value === "string" && choices.includes(value)) return value;
  return refuse(`${member} must be one of: ${choices.join(", ")}`);
}

function readFlag(member: string, value: unknown, otherwise: boolean): boolean {
  if (value === undefined || value === null) return otherwise;
  return typeof value === "boolean" ? value : refuse(`${member} must be a boolean`);
}

function readRate(member: string, value: unknown): number {
  if (value === undefined || value === null) return 1;
  if (typeof value === "number" && value >= 0 && value <= 1) return value;
  return refuse(`${member} must be a number between 0 and 1`);
}

function readAgentIds(value: unknown): string[] {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value) || value.some((id) => typeof id !== "string")) {
    return refuse("agentIds must be an array of strings");
  }
  if (value.length > limits.onlineAgentsMax) refuse(`agentIds must have at most ${limits.onlineAgentsMax} entries`);
  for (const id of value) requireStorable("agentIds", id);
  return [...new Set(value as string[])];
}

function withoutUndefined(sent: Sent): Sent {
  return Object.fromEntries(Object.entries(sent).filter(([, value]) => value !== undefined));
}
