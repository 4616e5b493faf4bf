/** A JSON object as the text it came in and as parsed values; the text is what free JSON is stored from. */
export interface JsonObject {
  text: string;
  value: Readonly<Record<string, unknown>>;
}

/** Whether a parsed value is a JSON object, neither null nor an array. */
export function isJsonObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
