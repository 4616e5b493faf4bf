import type { PricedTokens } from "@touchstone/contracts";
import { z } from "zod";
import type { RequestShape } from "./request-shape.ts";

/** A question to a judge: the rules of the task, the task itself, and the JSON form of its answer. */
export interface JudgeQuestion {
  model: string;
  /** Trusted text, for the API's system instructions. */
  instructions: string;
  /** The task, with untrusted texts fenced. */
  prompt: string;
  answerSchema: { name: string; schema: Record<string, unknown> };
}

/** A request to one path below the base URL. */
export interface WireRequest {
  path: string;
  body: Record<string, unknown>;
}

/** Encodes a question for the wire API (completions 7.1). */
export function writeQuestion(question: JudgeQuestion, shape: RequestShape): WireRequest {
  const { model, instructions, prompt } = question;
  const temperature = shape.hasTemperature ? { temperature: 0 } : {};
  const { name, schema } = question.answerSchema;
  if (shape.api === "responses") {
    const format =
      shape.format === "json_schema" ? { type: "json_schema", name, schema, strict: true } : { type: shape.format };
    // `store: false`: the provider must not store the request.
    return {
      path: "/responses",
      body: { model, instructions, input: prompt, text: { format }, store: false, ...temperature },
    };
  }
  const format =
    shape.format === "json_schema"
      ? { response_format: { type: "json_schema", json_schema: { name, schema, strict: true } } }
      : shape.format === "json_object"
        ? { response_format: { type: "json_object" } }
        : {};
  return {
    path: "/chat/completions",
    body: {
      model,
      messages: [
        { role: "system", content: instructions },
        { role: "user", content: prompt },
      ],
      ...format,
      ...temperature,
    },
  };
}

const responsesReply = z.object({
  output_text: z.string().nullish(),
  output: z
    .array(
      z.object({
        content: z.array(z.object({ type: z.string().nullish(), text: z.string().nullish() })).nullish(),
      }),
    )
    .nullish(),
});

const chatReply = z.object({
  choices: z.array(
    z.object({
      message: z.object({
        content: z.union([z.string(), z.array(z.object({ text: z.string().nullish() }))]).nullish(),
      }),
    }),
  ),
});

/**
 * The text of an answer. Empty when the reply has none, or does not have the form of the API: an unreadable reply counts as one
 * without a usable rating.
 */
export function readAnswer(reply: unknown, shape: RequestShape): string {
  if (shape.api === "responses") {
    const read = responsesReply.safeParse(reply);
    if (!read.success) return "";
    if (read.data.output_text) return read.data.output_text;
    const parts = (read.data.output ?? []).flatMap((item) => item.content ?? []);
    return parts.map((part) => (part.type === "output_text" ? (part.text ?? "") : "")).join("");
  }
  const read = chatReply.safeParse(reply);
  const content = read.success ? read.data.choices[0]?.message.content : null;
  if (typeof content === "string") return content;
  return (content ?? []).map((part) => part.text ?? "").join("");
}

const count = z.number().int().nonnegative().nullish().catch(null);
const cached = z.object({ cached_tokens: count }).nullish().catch(null);
const usage = z.object({
  input_tokens: count,
  output_tokens: count,
  prompt_tokens: count,
  completion_tokens: count,
  total_tokens: count,
  input_tokens_details: cached,
  prompt_tokens_details: cached,
});
const anyReply = z.object({ usage: usage.partial().nullish().catch(null) }).catch({ usage: null });

/** The token counts of a reply, from either API. */
export function readTokens(reply: unknown): PricedTokens {
  const said = anyReply.parse(reply).usage ?? {};
  const details = said.input_tokens_details ?? said.prompt_tokens_details;
  const input = said.input_tokens ?? said.prompt_tokens ?? null;
  const output = said.output_tokens ?? said.completion_tokens ?? null;
  const total = said.total_tokens ?? null;
  return {
    input,
    // Some providers count reasoning, which is paid as output, only in the total.
    output: input === null || output === null || total === null ? output : Math.max(output, total - input),
    cacheRead: details?.cached_tokens ?? null,
    cacheWrite: null,
  };
}

const embeddingsReply = z.object({
  data: z.array(z.object({ index: z.number().int().nullish(), embedding: z.array(z.number()) })),
});

/** The embeddings of a reply in the order of the texts, or null when their number differs. */
export function readEmbeddings(reply: unknown, count: number): number[][] | null {
  const read = embeddingsReply.safeParse(reply);
  if (!read.success || read.data.data.length !== count) return null;
  const ordered = read.data.data.map((item, position) => ({
    index: item.index ?? position,
    embedding: item.embedding,
  }));
  ordered.sort((left, right) => left.index - right.index);
  return ordered.map((item) => item.embedding);
}
