import { limits } from "@touchstone/contracts";
import { AppError, type Call, decodeJsonText, isDeeperThan, parseJsonBody, requireJson } from "@touchstone/service-kit";
import { isJsonObject, type JsonObject } from "../json/json-object.ts";

const emptyObject: JsonObject = { text: "{}", value: {} };

/**
 * Reads a JSON body. One that is left out, or is no object, reads as `{}`: the route's first rule about a member then
 * answers with its own sentence. Nesting over 128 levels is refused (completions 0.2).
 */
export async function readJsonObject(call: Call): Promise<JsonObject> {
  if (call.rawBody.length === 0) return emptyObject;
  requireJson(call.headers["content-type"]);
  const bytes = await call.body();
  const value = parseJsonBody(bytes);
  if (isDeeperThan(value, limits.jsonDepthMax)) {
    throw new AppError("bad_request", `The body nests deeper than ${limits.jsonDepthMax} levels.`);
  }
  if (!isJsonObject(value)) return emptyObject;
  return { text: decodeJsonText(bytes), value };
}
