import { limits } from "@touchstone/contracts";
import { AppError } from "./app-error.ts";
import { type Call, requireJson } from "./call.ts";
import { decodeJsonText, isDeeperThan, parseJsonText } from "./json.ts";

/** The members of a JSON object. */
export type JsonMembers = Readonly<Record<string, unknown>>;

/** A JSON object as received text and as parsed values; free JSON is stored from the text. */
export interface JsonObject {
  text: string;
  value: JsonMembers;
}

/** Whether a parsed value is a JSON object, neither null nor an array. */
export function isJsonObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

const emptyObject: JsonObject = { text: "{}", value: {} };

/**
 * Reads a JSON body. A missing body, or one that is not an object, is read as `{}`: the route's first rule about a
 * member then answers with its own sentence. Nesting over 128 levels is refused (completions 0.2).
 */
export async function readJsonObject(call: Call): Promise<JsonObject> {
  if (call.rawBody.length === 0) return emptyObject;
  requireJson(call.headers["content-type"]);
  const text = decodeJsonText(await call.body());
  const value = parseJsonText(text);
  if (isDeeperThan(value, limits.jsonDepthMax)) {
    throw new AppError("bad_request", `The body nests deeper than ${limits.jsonDepthMax} levels.`);
  }
  return isJsonObject(value) ? { text, value } : emptyObject;
}
