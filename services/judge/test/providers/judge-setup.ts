import type { JudgedCase, JudgeRubric, Verdict } from "@touchstone/contracts";
import { createLogger, type Logger } from "@touchstone/service-kit";
import { createScriptedClock, type ScriptedClock, type ScriptedLlm } from "@touchstone/testkit";
import { createAskForJson } from "../../src/prompting/ask-for-json.ts";
import type { ObservedVerdict, ProviderCall } from "../../src/providers/observer.ts";
import { createOpenAiProvider, type OpenAiProviderOptions } from "../../src/providers/openai-provider.ts";
import type { Provider } from "../../src/providers/provider.ts";
import { createCaseJudge } from "../../src/verdicts/judge-case.ts";
import { createVerdicts } from "../../src/verdicts/verdicts.ts";
import { buildCase, buildRubric, fenceSecret } from "../judge-builders.ts";

export const testKey = "sk-canary-0123456789abcdef";

export interface JudgeSetup {
  provider: Provider;
  clock: ScriptedClock;
  /** Judges a case; by default an ordinary one, with all the time in the world. */
  judge(
    judged?: Partial<JudgedCase>,
    rubric?: Partial<JudgeRubric>,
    call?: { signal?: AbortSignal; deadlineAtMs?: number },
  ): Promise<Verdict>;
  calls: ProviderCall[];
  /** The state of the circuit after each call. */
  circuits: ("closed" | "open")[];
  verdicts: ObservedVerdict[];
  /** Everything that was logged, as text. */
  log(): string;
}

/** A judge in front of the scripted provider: the real client package, scripted time, no jitter. */
export function setUpJudge(llm: ScriptedLlm, options: Partial<OpenAiProviderOptions> = {}): JudgeSetup {
  const clock = createScriptedClock();
  const calls: ProviderCall[] = [];
  const circuits: ("closed" | "open")[] = [];
  const verdicts: ObservedVerdict[] = [];
  const observer = {
    callWaits: () => () => undefined,
    circuitSeen: (_provider: string, state: "closed" | "open") => void circuits.push(state),
    providerCalled: (call: ProviderCall) => void calls.push(call),
    verdictGiven: (verdict: ObservedVerdict) => void verdicts.push(verdict),
    verdictLookedUp: () => undefined,
    verdictNotKept: () => undefined,
  };
  const { logger, log } = createTestLogger();
  const provider = createOpenAiProvider({
    baseUrl: llm.baseUrl,
    apiKey: testKey,
    firstApi: "responses",
    timeoutMs: 5_000,
    retriesMax: 2,
    placesMax: 8,
    clock,
    sleep: clock.sleep,
    random: () => 1,
    observer,
    reserveCall: async () => undefined,
    ...options,
  });
  const missing = { skipped: "no_key", because: "" } as const;
  const { host } = new URL(llm.baseUrl);
  const judgeCase = createCaseJudge({
    askForJson: createAskForJson({ logger }),
    verdicts: createVerdicts({
      store: { find: async () => null, keep: async () => undefined },
      promptVersion: "1",
      logger,
      observer,
    }),
    resolveModel: async (named) => ({
      model: named ?? "gpt-5.6-luna",
      host,
      api: "responses",
      price: null,
      provider,
      missing,
      isGuess: false,
    }),
    fenceSecret,
    clock,
    observer,
  });
  return {
    provider,
    clock,
    calls,
    circuits,
    verdicts,
    log,
    judge: (judged = {}, rubric = {}, call = {}) =>
      judgeCase(buildRubric(rubric), buildCase(judged), {
        group: "00000000-0000-7000-8000-000000000001",
        signal: call.signal ?? new AbortController().signal,
        deadlineAtMs: call.deadlineAtMs ?? Number.POSITIVE_INFINITY,
        mode: "live",
        owner: "00000000-0000-7000-8000-000000000001",
        runNumber: 1,
      }),
  };
}

export function createTestLogger(): { logger: Logger; log(): string } {
  const lines: string[] = [];
  const destination = { write: (line: string) => void lines.push(line) };
  return { logger: createLogger({ service: "judge", level: "trace" }, destination), log: () => lines.join("") };
}

/** Advances the clock whenever a sleeper waits, until the promise has settled. */
export async function letTimePass<Value>(clock: ScriptedClock, promise: Promise<Value>): Promise<Value> {
  let isSettled = false;
  const settled = promise.finally(() => {
    isSettled = true;
  });
  settled.catch(() => undefined);
  while (!isSettled) {
    if (clock.sleepers() > 0) await clock.advance(100);
    else await new Promise((resolve) => setImmediate(resolve));
  }
  return settled;
}
