import { type Clock, TooManyWaitingError, takeLoopTurnIfLarge } from "@touchstone/service-kit";
import { OpenAI } from "openai";
import { createAdaptiveLimit } from "../scheduling/adaptive-limit.ts";
import { type Admission, CircuitOpenError, createCircuitBreaker } from "../scheduling/circuit-breaker.ts";
import type { Sleep } from "../scheduling/sleep.ts";
import { limitTime } from "../scheduling/time-limit.ts";
import { cappedFetch } from "./capped-fetch.ts";
import type { JudgeObserver, ProviderCall } from "./observer.ts";
import type { CallOptions, Provider } from "./provider.ts";
import { isOutage, ProviderFailure } from "./provider-failure.ts";
import { callTimedOut, readFailure } from "./read-failure.ts";
import { adaptShape, createShapeMemory, type WireApi } from "./request-shape.ts";
import { withRetries } from "./retry.ts";
import { readAnswer, readEmbeddings, readTokens, type WireRequest, writeQuestion } from "./wire-apis.ts";

export interface OpenAiProviderOptions {
  baseUrl: string;
  /** Null = the endpoint needs none. */
  apiKey: string | null;
  firstApi: WireApi;
  /** Deadline of one HTTP call. */
  timeoutMs: number;
  retriesMax: number;
  /** Concurrent questions, and concurrent requests for embeddings; the adaptive limits stay at or below it. */
  placesMax: number;
  /** The client for the endpoint. Default: {@link cappedFetch}. */
  fetch?: typeof globalThis.fetch;
  clock: Clock;
  sleep: Sleep;
  random: () => number;
  observer: JudgeObserver;
  /**
   * Called before each attempt to send a question; embeddings are free. If it rejects, nothing is sent, and the call rejects
   * with its reason.
   */
  reserveCall(call: CallOptions): Promise<void>;
}

/** Texts embedded by one request: their vectors fit into the largest reply that is read. */
const textsPerReply = 8;

/** completions 7.1: the key for an endpoint without one, because the client library requires one. */
const keyPlaceholder = "not-required";
/** Shorter keys are placeholders like `EMPTY`, which must not be removed from a judge's texts. */
const secretMinChars = 8;
const circuitFailuresMax = 5;
const circuitOpenMs = 10_000;

/**
 * A provider with OpenAI's wire APIs, called through the `openai` package. The package only makes the HTTP call: retries,
 * limits and the circuit are here (completions 7.4), in this order around each call: retries ( place in the limit ( circuit
 * breaker ( the call, adapted until the provider accepts its shape ))). Embeddings have a limit and a circuit of their own: an
 * endpoint for them that fails must not keep judges from being asked.
 */
export function createOpenAiProvider(options: OpenAiProviderOptions): Provider {
  const { clock, sleep, apiKey, timeoutMs } = options;
  const host = new URL(options.baseUrl).host;
  const client = openClient(options);
  const questions = openLane(options);
  const embeddings = openLane(options);
  const shapes = createShapeMemory(options.firstApi);

  /** One HTTP call. Answers undefined for a body that is not JSON, which is the caller's to judge. */
  async function send(request: WireRequest, operation: ProviderCall["operation"], call: CallOptions): Promise<unknown> {
    const { signal } = call;
    if (operation !== "embeddings") await options.reserveCall(call);
    const startedAtMs = clock.now();
    let outcome: ProviderCall["outcome"] = "answered";
    // The package's own deadline does not cover the body of an error answer, which may stall like any other.
    const limit = limitTime(signal, timeoutMs);
    try {
      const answer = await client.post(request.path, { body: request.body, signal: limit.signal }).asResponse();
      // Parsed here: the package parses only responses labelled as JSON, and some servers set no label.
      return JSON.parse(await answer.text());
    } catch (thrown) {
      if (signal.aborted) {
        outcome = "aborted";
        throw signal.reason;
      }
      if (thrown instanceof SyntaxError) return undefined;
      const failure = limit.hasExpired() ? callTimedOut(timeoutMs) : readFailure(thrown, { clock, timeoutMs });
      outcome = failure.kind;
      throw failure;
    } finally {
      limit.clear();
      options.observer.providerCalled({ provider: host, operation, outcome, durationMs: clock.now() - startedAtMs });
    }
  }

  /** Makes one attempt under the limit and the breaker of its lane, and reports the outcome to both. */
  async function attempt<Result>(lane: Lane, call: CallOptions, run: () => Promise<Result>): Promise<Result> {
    const { places, breaker } = lane;
    const arrival = breaker.arrive();
    const endWait = options.observer.callWaits();
    try {
      return await places.run(call, async (capacity) => {
        endWait();
        const admission = await arrival.admit(call.signal);
        try {
          const result = await run();
          capacity.accepted();
          admission.answered();
          return result;
        } catch (thrown) {
          if (thrown instanceof ProviderFailure && thrown.kind === "rate_limited")
            capacity.rejected(thrown.retryAfterMs);
          report(admission, thrown);
          throw thrown;
        } finally {
          if (lane === questions) options.observer.circuitSeen(host, breaker.state());
        }
      });
    } catch (thrown) {
      if (thrown instanceof CircuitOpenError) {
        throw new ProviderFailure("circuit_open", "The judge provider keeps failing and is not asked for the moment.");
      }
      if (thrown instanceof TooManyWaitingError) {
        throw new ProviderFailure("overloaded", "Too many judge calls are waiting already.");
      }
      throw thrown;
    } finally {
      endWait();
    }
  }

  function retrying<Result>(lane: Lane, call: CallOptions, run: () => Promise<Result>): Promise<Result> {
    const { signal, deadlineAtMs } = call;
    const { retriesMax, random } = options;
    return withRetries(() => attempt(lane, call, run), { retriesMax, clock, sleep, random, signal, deadlineAtMs });
  }

  return {
    ask(question, call) {
      return retrying(questions, call, async () => {
        let shape = shapes.shapeFor(question.model);
        let firstRefusal: ProviderFailure | null = null;
        for (;;) {
          try {
            await takeLoopTurnIfLarge(question.prompt.length);
            const reply = await send(writeQuestion(question, shape), shape.api, call);
            shapes.remember(question.model, shape);
            return { text: readAnswer(reply, shape), tokens: readTokens(reply) };
          } catch (thrown) {
            if (!(thrown instanceof ProviderFailure) || thrown.kind !== "refused") throw thrown;
            firstRefusal ??= thrown;
            const adapted = adaptShape(shape, thrown);
            // If no shape is accepted, the shape was not the reason: the first refusal is the relevant one.
            if (adapted === null) throw firstRefusal;
            shape = adapted;
          }
        }
      });
    },

    async embed(texts, model, call) {
      const embedded: number[][] = [];
      for (let start = 0; start < texts.length; start += textsPerReply) {
        const input = texts.slice(start, start + textsPerReply);
        const some = await retrying(embeddings, call, async () => {
          await takeLoopTurnIfLarge(input.reduce((sum, text) => sum + text.length, 0));
          const request = { path: "/embeddings", body: { model, input, encoding_format: "float" } };
          const vectors = readEmbeddings(await send(request, "embeddings", call), input.length);
          if (vectors === null) throw new ProviderFailure("refused", "The provider's embeddings cannot be read.");
          return vectors;
        });
        embedded.push(...some);
      }
      return embedded;
    },

    redact: (text) => (apiKey === null || apiKey.length < secretMinChars ? text : text.replaceAll(apiKey, "[secret]")),
    circuit: () => questions.breaker.state(),
  };
}

/** The calls that one limit and one breaker govern. */
type Lane = ReturnType<typeof openLane>;

function openLane({ placesMax, clock, sleep }: Pick<OpenAiProviderOptions, "placesMax" | "clock" | "sleep">) {
  return {
    places: createAdaptiveLimit({ placesMax, clock, sleep }),
    breaker: createCircuitBreaker({ clock, sleep, failuresMax: circuitFailuresMax, openMs: circuitOpenMs }),
  };
}

function openClient({ baseUrl, apiKey, timeoutMs, fetch = cappedFetch }: OpenAiProviderOptions): OpenAI {
  return new OpenAI({
    apiKey: apiKey ?? keyPlaceholder,
    baseURL: baseUrl,
    // Each null keeps the package from reading an environment variable of its own.
    adminAPIKey: null,
    organization: null,
    project: null,
    webhookSecret: null,
    maxRetries: 0,
    timeout: timeoutMs,
    fetch,
    logLevel: "off",
  });
}

function report(admission: Admission, thrown: unknown): void {
  if (!(thrown instanceof ProviderFailure)) admission.abandoned();
  else if (isOutage(thrown)) admission.failed();
  else admission.answered();
}
