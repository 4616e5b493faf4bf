import type { QuickJSContext, QuickJSHandle } from "quickjs-emscripten-core";

/** The longest text read from a scorer, in UTF-16 units. */
const textMaxChars = 2_000;

/** The message for a thrown value without one. */
export const noMessage = "Scorer threw something without a message";

/** Functions of the interpreter, fetched before the scorer's code can replace them. */
export interface GuestTools {
  parse: QuickJSHandle;
  stringify: QuickJSHandle;
  makeFunction: QuickJSHandle;
  get: QuickJSHandle;
  toText: QuickJSHandle;
  slice: QuickJSHandle;
}

/** Must be called before any code of the scorer runs. */
export function takeTools(context: QuickJSContext): GuestTools {
  const find = (...path: string[]): QuickJSHandle =>
    path.reduce((holder, name) => context.getProp(holder, name), context.global);
  return {
    parse: find("JSON", "parse"),
    stringify: find("JSON", "stringify"),
    makeFunction: find("Function"),
    get: find("Reflect", "get"),
    toText: find("String"),
    slice: find("String", "prototype", "slice"),
  };
}

/** A member of an object. Reading it may run the scorer's code, which may throw. */
export function readMember(
  context: QuickJSContext,
  holder: QuickJSHandle,
  name: string,
  { get }: GuestTools,
): ReturnType<QuickJSContext["callFunction"]> {
  return context.callFunction(get, context.undefined, holder, context.newString(name));
}

/** A string, visibly truncated and storable (no NUL, no lone surrogate); null = it is not a string. */
export function readText(context: QuickJSContext, value: QuickJSHandle, tools: GuestTools): string | null {
  if (context.typeof(value) !== "string") return null;
  // Truncated inside: a text of 50 MB never leaves the interpreter.
  const cut = context.callFunction(tools.slice, value, context.newNumber(0), context.newNumber(textMaxChars + 1));
  if (cut.error) return null;
  // Strings leave the interpreter only up to their first NUL, so they leave it as JSON. For a string this runs no code of the
  // scorer.
  const json = context.callFunction(tools.stringify, context.undefined, cut.value);
  if (json.error) return null;
  const text = (JSON.parse(context.getString(json.value)) as string).replaceAll("\0", "\uFFFD").toWellFormed();
  if (text.length <= textMaxChars) return text;
  return `${text.slice(0, textMaxChars).toWellFormed()}... [cut after ${textMaxChars} characters]`;
}

/** The message of a thrown value, or else the value as a text. Errors of the scorer's code are caught. */
export function readMessage(context: QuickJSContext, thrown: QuickJSHandle, tools: GuestTools): string {
  if (context.typeof(thrown) === "object" && !context.eq(thrown, context.null)) {
    const message = readMember(context, thrown, "message", tools);
    const text = message.error ? null : readText(context, message.value, tools);
    if (text) return text;
  }
  const converted = context.callFunction(tools.toText, context.undefined, thrown);
  const text = converted.error ? null : readText(context, converted.value, tools);
  return text || noMessage;
}
