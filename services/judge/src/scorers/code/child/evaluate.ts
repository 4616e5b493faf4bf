import type { QuickJSContext, QuickJSHandle, QuickJSWASMModule } from "quickjs-emscripten-core";
import { callHandler } from "./call-handler.ts";
import { type GuestTools, noMessage, readMember, readMessage, readText, takeTools } from "./guest-values.ts";
import type { EvaluationLimits, EvaluationOutcome } from "./protocol.ts";
import { readHandlerScore } from "./read-handler-score.ts";

/**
 * The maximum depth of the interpreter's own stack. Twice this value aborted the whole module. Recursion inside native
 * functions reaches the end of the host's stack first, which is caught as well.
 */
const stackMaxBytes = 256 * 1024;

const parameters = ["input", "output", "expected", "toolCalls", "scores"] as const;

/**
 * Runs one scorer in an interpreter used only once (completions 6.1); never throws. The scorer receives values but no host
 * functions, its pending promises are not run, and its result is read from outside: none of it is serialised by its own code.
 * Getters and proxies of the result are its code too, and run under the same deadline. Nothing is freed: the interpreter's
 * whole memory is dropped.
 *
 * A script with a handler (completions 6.2) receives the spans through a function made in the interpreter, and its promises are
 * run until it has a result or nothing is left to run.
 */
export function evaluate(
  quickJs: QuickJSWASMModule,
  program: string,
  { timeoutMs, memoryBytes }: EvaluationLimits,
): EvaluationOutcome {
  const deadline = performance.now() + timeoutMs;
  let interrupted = false;
  const isFull = (): boolean => quickJs.getWasmMemory().buffer.byteLength > memoryBytes * 0.9;
  try {
    const runtime = quickJs.newRuntime();
    runtime.setMaxStackSize(stackMaxBytes);
    runtime.setInterruptHandler(() => {
      interrupted ||= performance.now() > deadline;
      return interrupted;
    });
    const outcome = run(runtime.newContext(), program, () => interrupted || performance.now() > deadline);
    if (interrupted) return { kind: "timeout" };
    return isUntoldShortage(outcome) && isFull() ? { kind: "memory" } : outcome;
  } catch (thrown) {
    if (interrupted) return { kind: "timeout" };
    if (isFull()) return { kind: "memory" };
    return thrown instanceof RangeError ? { kind: "failed", message: "stack overflow" } : { kind: "crashed" };
  }
}

/** Without memory for an error object the engine throws null, and without memory for a text no message can be read. */
function isUntoldShortage(outcome: EvaluationOutcome): boolean {
  return outcome.kind === "failed" && (outcome.message === "null" || outcome.message === noMessage);
}

function run(context: QuickJSContext, program: string, isOver: () => boolean): EvaluationOutcome {
  const tools = takeTools(context);
  const parsed = context.callFunction(tools.parse, context.undefined, context.newString(program));
  if (parsed.error) return explain(context, parsed.error, tools);
  const code = context.getProp(parsed.value, 0);
  const scope = context.getProp(parsed.value, 1);
  if (context.typeof(context.getProp(parsed.value, 2)) === "string") {
    const called = callHandler(context, { script: code, scope, tools, isOver });
    if (called.kind === "thrown") return explain(context, called.thrown, tools);
    if (called.kind !== "returned") return called;
    const read = readHandlerScore(context, called.value, tools);
    return read.kind === "thrown" ? explain(context, read.thrown, tools) : read;
  }
  const names = parameters.map((name) => context.newString(name));
  const made = context.callFunction(tools.makeFunction, context.undefined, ...names, code);
  if (made.error) return explain(context, made.error, tools);
  const values = parameters.map((name) => context.getProp(scope, name));
  const returned = context.callFunction(made.value, context.undefined, ...values);
  if (returned.error) return explain(context, returned.error, tools);
  return readScore(context, returned.value, tools);
}

function readScore(context: QuickJSContext, returned: QuickJSHandle, tools: GuestTools): EvaluationOutcome {
  if (context.typeof(returned) === "number") return scored(context.getNumber(returned));
  if (context.typeof(returned) !== "object" || context.eq(returned, context.null)) return noScore;
  const score = readMember(context, returned, "score", tools);
  if (score.error) return explain(context, score.error, tools);
  const isAbstention = context.eq(score.value, context.null);
  if (!isAbstention && context.typeof(score.value) !== "number") return noScore;
  const outcome = scored(isAbstention ? null : context.getNumber(score.value));
  if (outcome.kind !== "scored") return outcome;
  const reasoning = readMember(context, returned, "reasoning", tools);
  if (reasoning.error) return explain(context, reasoning.error, tools);
  const text = readText(context, reasoning.value, tools);
  return text === null ? outcome : { ...outcome, reasoning: text };
}

const noScore: EvaluationOutcome = { kind: "failed", message: "Scorer must return a number or { score, reasoning }" };

function scored(score: number | null): EvaluationOutcome {
  if (score === null || Number.isFinite(score)) return { kind: "scored", score };
  return { kind: "failed", message: "Scorer returned a non-finite number" };
}

function explain(context: QuickJSContext, thrown: QuickJSHandle, tools: GuestTools): EvaluationOutcome {
  const message = readMessage(context, thrown, tools);
  return message === "out of memory" ? { kind: "memory" } : { kind: "failed", message };
}
