import type { JsonText } from "../spans/span.ts";

/** What is searched in of a root trace (completions 2.3). */
export interface SearchedFields {
  name: string;
  input: JsonText | null;
  output: JsonText | null;
  error: string | null;
  model: string | null;
  sessionId: string | null;
  otelTraceId: string | null;
}

/** The text that search reads of a root: its fields on lines of their own, lower-cased. */
export function searchText(fields: SearchedFields): string {
  const { name, input, output, error, model, sessionId, otelTraceId } = fields;
  const lines = [name, input, output, error, model, sessionId, otelTraceId].filter((line) => line !== null);
  return lines.join("\n").replaceAll("\0", "").toWellFormed().toLowerCase();
}
