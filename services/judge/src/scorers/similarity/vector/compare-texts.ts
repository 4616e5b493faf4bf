import { cutText, type Logger, runInSlices } from "@touchstone/service-kit";
import type { CallOptions } from "../../../providers/provider.ts";
import { ProviderFailure } from "../../../providers/provider-failure.ts";
import { JudgeBudgetError } from "../../../quota/judge-budget.ts";
import type { EmbedTexts } from "./embed-texts.ts";
import { embedByHashing, hashEmbeddingModel } from "./hash-embedding.ts";
import { scoreVector } from "./score.ts";

export interface ComparerOptions {
  embed: EmbedTexts;
  logger: Logger;
}

/** The similarity of a text to each of the others, from 0 to 1, or null without an embedding model. Never rejects. */
export type CompareTexts = (
  job: { text: string; others: readonly string[]; model: string | null },
  call: CallOptions,
) => Promise<number[] | null>;

/** The compared part of a text. Embedding models refuse longer ones, and one refusal would fail all of them. */
const comparedMaxChars = 8_000;

/** completions 3.3, Dedupe. All texts are embedded in one call; a blank one is similar to none and is not sent. */
export function createTextComparer({ embed, logger }: ComparerOptions): CompareTexts {
  const embedAll: EmbedTexts = async (texts, model, call) => {
    if (model !== hashEmbeddingModel) return embed(texts, model, call);
    const embeddings: number[][] = [];
    for (const text of texts) embeddings.push(await runInSlices(embedByHashing(text), call.signal));
    return embeddings;
  };

  return async ({ text, others, model }, call) => {
    const distinct = [...new Set([text, ...others].map(prepare))].filter((prepared) => prepared !== "");
    if (prepare(text) === "" || others.every((other) => prepare(other) === "")) return others.map(() => 0);
    try {
      const embeddings = await embedAll(distinct, model, call);
      if (embeddings === null) return null;
      const embeddingOf = new Map(distinct.map((prepared, index) => [prepared, embeddings[index]]));
      const own = embeddingOf.get(prepare(text)) ?? [];
      // A text without a direction, such as one without a letter, is similar to none.
      return others.map((other) => scoreVector(own, embeddingOf.get(prepare(other)) ?? []) ?? 0);
    } catch (err) {
      const isExpected = err instanceof ProviderFailure || err instanceof JudgeBudgetError || call.signal.aborted;
      if (!isExpected) logger.error({ err, projectId: call.group }, "comparing texts failed unexpectedly");
      return null;
    }
  };
}

function prepare(text: string): string {
  return cutText(text.toWellFormed().trim(), comparedMaxChars);
}
