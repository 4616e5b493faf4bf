import type { QuickJSContext, QuickJSHandle } from "quickjs-emscripten-core";
import { type GuestTools, readMember, readText } from "./guest-values.ts";
import type { EvaluationOutcome } from "./protocol.ts";

const notUnderstood = {
  kind: "failed",
  message: "The handler must return null, a number or { score, name?, metadata? }",
} as const;

/**
 * A handler's result as a score (completions 6.2): null = it skips, numbers are clamped to 0..1. Both `reason` and `reasoning`
 * are accepted. Reading members may run the script's code, which may throw.
 */
export function readHandlerScore(
  context: QuickJSContext,
  returned: QuickJSHandle,
  tools: GuestTools,
): EvaluationOutcome | { kind: "thrown"; thrown: QuickJSHandle } {
  const isNothing = (value: QuickJSHandle): boolean =>
    context.typeof(value) === "undefined" || context.eq(value, context.null);
  if (isNothing(returned)) return { kind: "scored", score: null };
  if (context.typeof(returned) === "number") return scored(context.getNumber(returned));
  if (context.typeof(returned) !== "object") return notUnderstood;
  const members = new Map<string, QuickJSHandle>();
  for (const name of ["score", "name", "reason", "reasoning", "metadata"]) {
    const member = readMember(context, returned, name, tools);
    if (member.error) return { kind: "thrown", thrown: member.error };
    members.set(name, member.value);
  }
  const textOf = (name: string): string | null => {
    const value = members.get(name);
    return value === undefined ? null : readText(context, value, tools);
  };
  const score = members.get("score") ?? context.undefined;
  if (!context.eq(score, context.null) && context.typeof(score) !== "number") return notUnderstood;
  const outcome = scored(context.eq(score, context.null) ? null : context.getNumber(score));
  if (outcome.kind !== "scored") return outcome;
  const [name, reasoning] = [textOf("name"), textOf("reason") ?? textOf("reasoning")];
  const metadata = readMetadata(context, members.get("metadata"), tools);
  return {
    ...outcome,
    ...(name !== null && { name }),
    ...(reasoning !== null && { reasoning }),
    ...(metadata !== null && { metadata }),
  };
}

function scored(score: number | null): EvaluationOutcome {
  if (score === null) return { kind: "scored", score };
  if (Number.isNaN(score)) return { kind: "failed", message: "The handler returned no number" };
  return { kind: "scored", score: Math.min(1, Math.max(0, score)) };
}

/** As JSON text; null if there is none, or it exceeds the limit. */
function readMetadata(context: QuickJSContext, value: QuickJSHandle | undefined, tools: GuestTools): string | null {
  if (value === undefined || context.typeof(value) !== "object") return null;
  const json = context.callFunction(tools.stringify, context.undefined, value);
  const text = json.error ? null : readText(context, json.value, tools);
  if (text === null) return null;
  try {
    JSON.parse(text);
    return text;
  } catch {
    // It was truncated.
    return null;
  }
}
