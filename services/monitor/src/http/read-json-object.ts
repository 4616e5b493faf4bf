import { limits } from "@touchstone/contracts";
import { AppError, type Call, isDeeperThan, parseJsonBody, requireJson } from "@touchstone/service-kit";

export type JsonObject = Readonly<Record<string, unknown>>;

/**
 * Reads a JSON body. One that is left out, or is no object, reads as `{}`: the route's first rule about a member then
 * answers with its own sentence. Nesting over 128 levels is refused (completions 0.2).
 */
export async function readJsonObject(call: Call): Promise<JsonObject> {
  if (call.rawBody.length === 0) return {};
  requireJson(call.headers["content-type"]);
  const value = parseJsonBody(await call.body());
  if (isDeeperThan(value, limits.jsonDepthMax)) {
    throw new AppError("bad_request", `The body nests deeper than ${limits.jsonDepthMax} levels.`);
  }
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as JsonObject) : {};
}
