import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { gzipSync } from "node:zlib";
import type { LlmReply } from "@touchstone/testkit";
import { z } from "zod";

const folder = path.join(import.meta.dirname, "../fixtures/malformed-answers");

/** A text, or texts to be repeated: texts of megabytes are not stored in the repository. */
const text = z.union([z.string(), z.strictObject({ repeat: z.array(z.tuple([z.string(), z.int()])) })]);

/** `answer`: the model's text, or the whole HTTP answer. `expected` was decided by hand for each. */
const entry = z.strictObject({
  name: z.string(),
  answer: z.union([
    text,
    z.strictObject({
      raw: text,
      contentType: z.string().optional(),
      status: z.int().optional(),
      headers: z.record(z.string(), z.string()).optional(),
      gzip: z.boolean().default(false),
    }),
    z.strictObject({ reset: z.literal(true) }),
  ]),
  expected: z.union([
    z.strictObject({ rating: z.number().min(0).max(10) }),
    z.strictObject({ skipped: z.enum(["unparseable", "provider_error"]) }),
  ]),
});
type Entry = z.infer<typeof entry>;

export interface MalformedAnswer {
  name: string;
  /** The provider's reaction. */
  reply: LlmReply;
  /** The model's text; null when the answer is wrong before that. */
  said: string | null;
  expected: Entry["expected"];
}

/** Every malformed answer of the corpus, by class: the name of its file. */
export const malformedAnswers: readonly [name: string, answers: MalformedAnswer[]][] = readdirSync(folder)
  .sort()
  .map((file) => {
    const entries = z.array(entry).parse(JSON.parse(readFileSync(path.join(folder, file), "utf8")));
    return [path.basename(file, ".json"), entries.map(unfold)];
  });

function unfold({ name, answer, expected }: Entry): MalformedAnswer {
  if (typeof answer === "string" || "repeat" in answer) {
    const said = spell(answer);
    return { name, reply: { kind: "text", text: said }, said, expected };
  }
  if ("reset" in answer) return { name, reply: { kind: "reset", afterHeaders: true }, said: null, expected };
  const { gzip, raw, headers = {}, status = 200, contentType = "application/json" } = answer;
  const body = gzip ? gzipSync(spell(raw)) : spell(raw);
  const encoding = gzip ? { "content-encoding": "gzip" } : {};
  const reply: LlmReply = { kind: "raw", body, status, contentType, headers: { ...headers, ...encoding } };
  return { name, reply, said: null, expected };
}

function spell(given: z.infer<typeof text>): string {
  return typeof given === "string" ? given : given.repeat.map(([piece, times]) => piece.repeat(times)).join("");
}
