import { isStorable, limits } from "@touchstone/contracts";
import { AppError, type OutboundReach } from "@touchstone/service-kit";
import { checkUrl } from "../model/check-url.ts";
import type { EvaluatorDocument } from "./evaluator.ts";

type Sent = Readonly<Record<string, unknown>>;

const severities = ["low", "medium", "high", "critical"];

const refuse = (sentence: string): never => {
  throw new AppError("bad_request", sentence);
};

/**
 * The new content of a custom scorer: sent members, else stored ones, else defaults. Throws `bad_request` for the first rule
 * that is broken (completions 4.5). Addresses are checked here; host names are resolved and checked on each call.
 */
export function composeEvaluatorDocument(
  sent: Sent,
  stored: EvaluatorDocument | null,
  reach: OutboundReach,
): EvaluatorDocument {
  const merged: Sent = { ...stored, ...Object.fromEntries(Object.entries(sent).filter(([, value]) => value != null)) };
  const name = readName(merged.name);
  const kind = readChoice("kind", merged.kind, ["external", "code"], "external") as EvaluatorDocument["kind"];
  return {
    name,
    kind,
    ...(kind === "external" ? { url: readUrl(merged.url, reach) } : readCode(merged)),
    sampleRate: readShare("sampleRate", merged.sampleRate, 0.1),
    scopeMode: readChoice("scopeMode", merged.scopeMode, ["all", "selected"], "all") as "all" | "selected",
    agentIds: readAgentIds(merged.agentIds),
    enabled: readFlag("enabled", merged.enabled, true),
    invertMatch: readFlag("invertMatch", merged.invertMatch, false),
    severity: readChoice("severity", merged.severity, severities, "medium") as EvaluatorDocument["severity"],
    alertBelow: readShare("alertBelow", merged.alertBelow, 0.5),
  };
}

function readName(value: unknown): string {
  if (typeof value !== "string" || value.trim() === "") return refuse("Custom evaluator name is required");
  if (value.length > limits.graderNameMaxChars) {
    refuse(`Custom evaluator name must have at most ${limits.graderNameMaxChars} characters`);
  }
  return requireStorable("Custom evaluator name", value);
}

function readUrl(value: unknown, reach: OutboundReach): string {
  const sentence = "A valid http:// or https:// url is required";
  if (typeof value !== "string") return refuse(sentence);
  const checked = checkUrl(value, reach);
  if ("href" in checked) return checked.href;
  const { kind, message } = checked.refusal;
  return refuse(kind === "url_refused" ? sentence : message);
}

function readCode({ language, script }: Sent): { language: "javascript"; script: string } {
  if (language !== undefined && language !== "javascript") refuse('language must be "javascript"');
  if (typeof script !== "string" || script.trim() === "") {
    return refuse("A code scorer needs a script defining handler(...)");
  }
  if (script.length > limits.customEvaluatorScriptMaxChars) {
    refuse(`script must have at most ${limits.customEvaluatorScriptMaxChars} characters`);
  }
  return { language: "javascript", script: requireStorable("script", script) };
}

function readShare(member: string, value: unknown, otherwise: number): number {
  if (value === undefined) return otherwise;
  if (typeof value === "number" && value >= 0 && value <= 1) return value;
  return refuse(`${member} must be a number between 0 and 1`);
}

function readFlag(member: string, value: unknown, otherwise: boolean): boolean {
  if (value === undefined) return otherwise;
  return typeof value === "boolean" ? value : refuse(`${member} must be a boolean`);
}

function readChoice(member: string, value: unknown, choices: readonly string[], otherwise: string): string {
  if (value === undefined) return otherwise;
  if (typeof value === "string" && choices.includes(value)) return value;
  return refuse(`${member} must be one of: ${choices.join(", ")}`);
}

function readAgentIds(value: unknown): string[] {
  if (value === undefined) return [];
  if (!Array.isArray(value) || value.some((id) => typeof id !== "string")) {
    return refuse("agentIds must be an array of strings");
  }
  if (value.length > limits.onlineAgentsMax) refuse(`agentIds must have at most ${limits.onlineAgentsMax} entries`);
  for (const id of value) requireStorable("agentIds", id);
  return [...new Set(value as string[])];
}

/** Requires text that PostgreSQL can store. */
function requireStorable(member: string, value: string): string {
  if (!isStorable(value)) refuse(`${member} must be text without NUL`);
  return value;
}
