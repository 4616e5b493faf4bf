import { limits } from "@touchstone/contracts";
import type { JsonText } from "../model/span.ts";
import { decodeSpanBody, readBodyMembers } from "../model/span-body.ts";
import { readableText } from "./readable-text.ts";

/** The searched fields of a root trace (completions 2.3). */
export interface SearchedFields {
  /** The root's id. */
  id: string;
  name: string;
  input: JsonText | null;
  output: JsonText | null;
  error: string | null;
  model: string | null;
  sessionId: string | null;
  /** 32 lowercase hexadecimal digits; null on REST. */
  otelTraceId: string | null;
}

/**
 * The searched text of a root: its fields on separate lines, after {@link foldCase}. At most `limits.searchDocMaxChars`
 * long: of a long error, input or output only the beginning is searched. Characters that one of them does not need go
 * to the next, and an input never takes the output's half.
 */
export function searchText({ id, name, input, output, error, model, sessionId, otelTraceId }: SearchedFields): string {
  let text = `${id}\n${name}`;
  for (const short of [model, sessionId, otelTraceId]) if (short !== null) text += `\n${short}`;
  const left = (): number => Math.max(limits.searchDocMaxChars - text.length - 1, 0);
  if (error !== null) text += `\n${error.slice(0, Math.floor(left() / 4))}`;
  if (input !== null) {
    const outputShare = Math.min(output?.length ?? 0, Math.floor(left() / 2));
    text += `\n${readableText(input, left() - outputShare)}`;
  }
  if (output !== null) text += `\n${readableText(output, left())}`;
  return foldCase(text);
}

/** The searched text of a root of an OTel trace, including borrowed content (otlp 5.4). */
export async function rootText(
  root: Omit<SearchedFields, "input" | "output" | "error">,
  bodies: { own: Buffer; input: Buffer | null; output: Buffer | null },
): Promise<string> {
  const own = readBodyMembers(await decodeSpanBody(bodies.own));
  const lender = async (body: Buffer | null) => (body === null ? own : readBodyMembers(await decodeSpanBody(body)));
  return searchText({
    ...root,
    input: (await lender(bodies.input)).input,
    output: (await lender(bodies.output)).output,
    error: own.error === null ? null : String(JSON.parse(own.error)),
  });
}

/**
 * Normalises text for search, on both sides: lower-cased, with one small sigma (the final form depends on the next
 * character, which a search term lacks) and without characters that PostgreSQL's text cannot hold.
 */
export function foldCase(text: string): string {
  return text.toWellFormed().toLowerCase().replaceAll("ς", "σ").replaceAll("\0", "");
}
