import { decodeSpanBody, readBodyMembers } from "../model/span-body.ts";
import { type SearchedFields, searchText } from "./search-text.ts";

/** What search reads of a root of an OTel trace: its own words, and those it shows of others (otlp 5.4). */
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
