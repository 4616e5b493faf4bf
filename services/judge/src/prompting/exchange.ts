import type { PricedTokens } from "@touchstone/contracts";
import type { CallOptions, Provider, ProviderReply } from "../providers/provider.ts";
import { ProviderFailure } from "../providers/provider-failure.ts";
import type { JudgeQuestion } from "../providers/wire-apis.ts";

/** The requests to a model for one task and its replies, over the question and its repetition. */
export interface Exchange {
  instructions: string;
  /** The last one. */
  prompt: string;
  /** The reply to the last prompt, with the provider's key removed; null: none. */
  reply: string | null;
  questions: number;
  /** Over all questions. Null if the provider does not report them. */
  tokens: PricedTokens;
  /** Over all questions, including waits and retries. */
  latencyMs: number;
}

export interface ExchangeRecorder {
  /** Asks, and records the exchange. Rejects like the provider. */
  ask(question: JudgeQuestion, call: CallOptions): Promise<string>;
  /** Null: nothing was sent. */
  read(): Exchange | null;
}

const noTokens: PricedTokens = { input: null, output: null, cacheRead: null, cacheWrite: null };

export function recordExchange(provider: Provider): ExchangeRecorder {
  let noted: Exchange | null = null;

  function note({ instructions, prompt }: JudgeQuestion, reply: ProviderReply | null, startedMs: number): void {
    noted = {
      instructions,
      prompt,
      reply: reply === null ? null : provider.redact(reply.text),
      questions: (noted?.questions ?? 0) + 1,
      tokens: addTokens(noted?.tokens ?? noTokens, reply?.tokens ?? noTokens),
      latencyMs: (noted?.latencyMs ?? 0) + performance.now() - startedMs,
    };
  }

  return {
    async ask(question, call) {
      const startedMs = performance.now();
      try {
        const reply = await provider.ask(question, call);
        note(question, reply, startedMs);
        return reply.text;
      } catch (thrown) {
        if (wasSent(thrown)) note(question, null, startedMs);
        throw thrown;
      }
    },
    read: () => noted,
  };
}

/** An open circuit and a full queue send nothing; after an abort or over the quota there is no one to report to. */
function wasSent(thrown: unknown): boolean {
  return thrown instanceof ProviderFailure && thrown.kind !== "circuit_open" && thrown.kind !== "overloaded";
}

function addTokens(one: PricedTokens, other: PricedTokens): PricedTokens {
  const add = (of: keyof PricedTokens) => (one[of] === null ? other[of] : one[of] + (other[of] ?? 0));
  return { input: add("input"), output: add("output"), cacheRead: add("cacheRead"), cacheWrite: add("cacheWrite") };
}
