import type { QuickJSContext, QuickJSHandle } from "quickjs-emscripten-core";
import type { GuestTools } from "./guest-values.ts";

/** The value that a handler returned, or the reason for none. */
export type HandlerCall =
  | { kind: "returned"; value: QuickJSHandle }
  | { kind: "thrown"; thrown: QuickJSHandle }
  | { kind: "failed"; message: string }
  | { kind: "timeout" };

/** The arguments of a handler besides the trace (completions 6.2). */
const values = ["input", "output", "expected", "metadata"] as const;

/** Makes the handler's last argument; inside the interpreter, so that it contains no host functions. */
const makeTraceSource = `
return {
  getSpans: async (options) => {
    const type = options === null || typeof options !== "object" ? undefined : options.spanType;
    return type === undefined || type === null ? spans : spans.filter((span) => span.type === type);
  },
};`;

/** Jobs between two checks of the deadline. */
const jobsAtOnce = 100;

/**
 * Evaluates a script that defines `handler` and calls it (completions 6.2). `script` ends with a statement that returns the
 * handler, see `programOf`. A handler may be asynchronous: its promises are run until it has settled.
 */
export function callHandler(
  context: QuickJSContext,
  {
    script,
    scope,
    tools,
    isOver,
  }: { script: QuickJSHandle; scope: QuickJSHandle; tools: GuestTools; isOver: () => boolean },
): HandlerCall {
  const makeTrace = context.callFunction(
    tools.makeFunction,
    context.undefined,
    context.newString("spans"),
    context.newString(makeTraceSource),
  );
  if (makeTrace.error) return { kind: "thrown", thrown: makeTrace.error };
  const trace = context.callFunction(makeTrace.value, context.undefined, context.getProp(scope, "spans"));
  if (trace.error) return { kind: "thrown", thrown: trace.error };
  const define = context.callFunction(tools.makeFunction, context.undefined, script);
  if (define.error) return { kind: "thrown", thrown: define.error };
  const handler = context.callFunction(define.value, context.undefined);
  if (handler.error) return { kind: "thrown", thrown: handler.error };
  if (context.typeof(handler.value) !== "function") {
    return { kind: "failed", message: 'The script must define a function named "handler"' };
  }
  const given = values.map((name) => context.getProp(scope, name));
  const returned = context.callFunction(handler.value, context.undefined, ...given, trace.value);
  if (returned.error) return { kind: "thrown", thrown: returned.error };
  return settle(context, returned.value, isOver);
}

function settle(context: QuickJSContext, returned: QuickJSHandle, isOver: () => boolean): HandlerCall {
  for (;;) {
    const state = context.getPromiseState(returned);
    // A value that is not a promise counts as fulfilled.
    if (state.type === "fulfilled") return { kind: "returned", value: state.value };
    if (state.type === "rejected") return { kind: "thrown", thrown: state.error };
    const ran = context.runtime.executePendingJobs(jobsAtOnce);
    if (ran.error) return { kind: "thrown", thrown: ran.error };
    if (isOver()) return { kind: "timeout" };
    if (ran.value === 0) return { kind: "failed", message: "The handler waits for something that never comes" };
  }
}
