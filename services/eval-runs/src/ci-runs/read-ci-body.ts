import type { JsonObject } from "@touchstone/service-kit";
import { AppError, type Call, isAppError, readJsonObject } from "@touchstone/service-kit";

/**
 * Reads the body of a CI route. The parser's own words are kept back: they quote what was sent, and clients take any 400
 * in which they find the letters "ci" for a dataset with CI disabled (completions 8.2).
 */
export async function readCiBody(call: Call): Promise<JsonObject> {
  try {
    return await readJsonObject(call);
  } catch (thrown) {
    if (!isAppError(thrown) || thrown.code !== "body_unreadable") throw thrown;
    throw new AppError("body_unreadable", "The request body is not JSON.", { cause: thrown });
  }
}
