import type { JudgedCase, JudgeRubric, VerdictMode } from "@touchstone/contracts";
import { gatherCalls, type Logger } from "@touchstone/service-kit";
import type { Asked } from "../asking/ask-for-json.ts";
import type { JudgeObserver } from "../observer.ts";
import type { ModelRoute } from "../providers/resolve-model.ts";
import { orAborted } from "../scheduling/or-aborted.ts";
import { limitTime } from "../scheduling/time-limit.ts";
import type { ParsedVerdict } from "../verdict/parse-verdict.ts";
import { addressOf } from "./verdict-address.ts";
import type { KeptVerdict, VerdictRecordStore } from "./verdict-record-store.ts";

/** How a verdict is come by, and for whom. */
export interface VerdictTerms {
  mode: VerdictMode;
  /** Under whom it is kept: the organization, or the project where there are none. */
  owner: string;
  /** Repetitions of a case are judged each for itself. */
  runNumber: number;
  signal: AbortSignal;
}

/** What is judged, by which rubric and model. */
export interface VerdictSubject {
  route: Pick<ModelRoute, "model" | "host" | "api">;
  rubric: JudgeRubric;
  judged: JudgedCase;
}

/** A rating with its source, or why there is none. */
export type ReachedVerdict =
  | { answer: ParsedVerdict; source: "live" | "cache" | "replay" }
  | Extract<Asked<ParsedVerdict>, { skipped: unknown }>;

type Ask = () => Promise<Asked<ParsedVerdict>>;

/** Comes by verdicts: asks for them, or takes them from the record (architecture 4). `ask` must not reject. */
export interface Verdicts {
  reach(subject: VerdictSubject, terms: VerdictTerms, ask: Ask): Promise<ReachedVerdict>;
}

export interface VerdictsOptions {
  record: VerdictRecordStore;
  promptVersion: string;
  logger: Logger;
  observer: Pick<JudgeObserver, "verdictLookedUp" | "verdictNotKept">;
  /** How long a verdict may wait to be looked up, and to be kept. Default: 2 s. */
  recordWithinMs?: number;
}

const recordWithinDefaultMs = 2_000;

/** Verdicts that one statement keeps. Each is up to 20,000 characters long. */
const keptTogetherMax = 200;

const outOfTime: ReachedVerdict = { skipped: "timeout", because: "The judge did not answer in time." };
const replayMiss: ReachedVerdict = {
  skipped: "replay_miss",
  because: "No stored verdict matches this case, and a replay asks no judge.",
};
const replayUnavailable: ReachedVerdict = {
  skipped: "provider_error",
  because: "The stored verdicts cannot be read at the moment, and a replay asks no judge.",
};

/**
 * `live` asks, and keeps what is scored. `cache` looks first; one question is then asked once at a time in this process,
 * and whoever waited for it takes its answer. `replay` only looks. The first two go on without the record when
 * PostgreSQL is away.
 */
export function createVerdicts(options: VerdictsOptions): Verdicts {
  const { record, promptVersion, logger, observer, recordWithinMs = recordWithinDefaultMs } = options;
  const keepSoon = gatherCalls(
    async (verdicts: readonly KeptVerdict[]) => {
      await record.keep(verdicts);
      return verdicts;
    },
    { itemsMax: keptTogetherMax },
  );
  const underWay = new Map<string, Promise<ReachedVerdict>>();

  async function inTime<Value>(promise: Promise<Value>, signal: AbortSignal): Promise<Value> {
    const limit = limitTime(signal, recordWithinMs);
    try {
      return await orAborted(promise, limit.signal);
    } finally {
      limit.clear();
    }
  }

  async function find(address: Buffer, { mode, owner, signal }: VerdictTerms): Promise<ParsedVerdict | null | "away"> {
    try {
      const found = await inTime(record.find(owner, address), signal);
      observer.verdictLookedUp({ mode, outcome: found === null ? "miss" : "hit" });
      return found;
    } catch (err) {
      if (!signal.aborted) logger.warn({ err }, "stored verdicts could not be read");
      observer.verdictLookedUp({ mode, outcome: "unavailable" });
      return "away";
    }
  }

  async function askAndKeep(address: Buffer, { owner, signal }: VerdictTerms, ask: Ask): Promise<ReachedVerdict> {
    const asked = await ask();
    if (!("answer" in asked)) return asked;
    try {
      await inTime(keepSoon({ owner, address, ...asked.answer }), signal);
    } catch (err) {
      logger.warn({ err }, "a verdict could not be stored");
      observer.verdictNotKept();
    }
    return { ...asked, source: "live" };
  }

  async function findOrAsk(address: Buffer, terms: VerdictTerms, ask: Ask): Promise<ReachedVerdict> {
    const found = await find(address, terms);
    if (found !== null && found !== "away") return { answer: found, source: "cache" };
    return askAndKeep(address, terms, ask);
  }

  /** Whoever comes first looks and asks for all. Its deadline is not theirs: when it ran out of time, the next one asks. */
  async function findOrAskOnce(address: Buffer, terms: VerdictTerms, ask: Ask): Promise<ReachedVerdict> {
    const key = `${terms.owner} ${address.toString("hex")}`;
    for (let first = underWay.get(key); first !== undefined; first = underWay.get(key)) {
      const reached = await orAborted(first, terms.signal).catch(() => outOfTime);
      if ("answer" in reached) return { ...reached, source: "cache" };
      if (reached.skipped !== "timeout" || terms.signal.aborted) return reached;
    }
    const own = findOrAsk(address, terms, ask).finally(() => underWay.delete(key));
    underWay.set(key, own);
    return own;
  }

  async function replay(address: Buffer, terms: VerdictTerms): Promise<ReachedVerdict> {
    const found = await find(address, terms);
    if (found === null) return replayMiss;
    if (found === "away") return terms.signal.aborted ? outOfTime : replayUnavailable;
    return { answer: found, source: "replay" };
  }

  return {
    async reach({ route: { model, host, api }, rubric, judged }, terms, ask) {
      const address = addressOf({ api, host, model, promptVersion, rubric, judged, runNumber: terms.runNumber });
      if (terms.mode === "replay") return replay(address, terms);
      return terms.mode === "cache" ? findOrAskOnce(address, terms, ask) : askAndKeep(address, terms, ask);
    },
  };
}
