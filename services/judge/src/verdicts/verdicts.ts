import type { JudgedCase, JudgeRubric, VerdictMode } from "@touchstone/contracts";
import { gatherCalls, type Logger, orAborted } from "@touchstone/service-kit";
import type { Asked, NoAnswer } from "../prompting/ask-for-json.ts";
import type { JudgeObserver } from "../providers/observer.ts";
import type { ModelRoute } from "../providers/resolve-model.ts";
import { limitTime } from "../scheduling/time-limit.ts";
import type { ParsedVerdict } from "./parse-verdict.ts";
import { addressOf } from "./verdict-address.ts";
import { composeRecord } from "./verdict-record.ts";
import type { FoundVerdict, KeptVerdict, VerdictStore } from "./verdict-store.ts";

/** The mode of a verdict, and its requester. */
export interface VerdictTerms {
  mode: VerdictMode;
  /** The project that owns its record. */
  group: string;
  /** The owner of the rating: the organization, or the project without organizations. */
  owner: string;
  /** Repetitions of a case are judged separately. */
  runNumber: number;
  signal: AbortSignal;
}

/** The judged case, the rubric and the model. */
export interface VerdictSubject {
  route: Pick<ModelRoute, "model" | "host" | "api" | "price">;
  rubric: JudgeRubric;
  judged: JudgedCase;
}

/** A rating with its source, or the reason for none. */
export type ReachedVerdict = ({ answer: ParsedVerdict; source: "live" | "cache" | "replay" } | NoAnswer) & {
  /** The id of its record; null: there is none. */
  verdictId: string | null;
};

type Ask = () => Promise<Asked<ParsedVerdict>>;

/** Obtains verdicts: from the judge, or from the store (decision 21). `ask` must not reject. */
export interface Verdicts {
  reach(subject: VerdictSubject, terms: VerdictTerms, ask: Ask): Promise<ReachedVerdict>;
}

export interface VerdictsOptions {
  store: VerdictStore;
  promptVersion: string;
  logger: Logger;
  observer: Pick<JudgeObserver, "verdictLookedUp" | "verdictNotKept">;
  /** The longest wait for a look-up or for storing. Default: 2 s. */
  storeWithinMs?: number;
}

const storeWithinDefaultMs = 2_000;

/** Verdicts stored in one batch. Each has up to about 200,000 characters, and most have a few thousand. */
const keptTogetherMax = 50;

const outOfTime: ReachedVerdict = { skipped: "timeout", because: "The judge did not answer in time.", verdictId: null };
const replayMiss: ReachedVerdict = {
  skipped: "replay_miss",
  because: "No stored verdict matches this case, and a replay asks no judge.",
  verdictId: null,
};
const replayUnavailable: ReachedVerdict = {
  skipped: "provider_error",
  because: "The stored verdicts cannot be read at the moment, and a replay asks no judge.",
  verdictId: null,
};

/**
 * `live` asks, and stores scored verdicts. `cache` looks up first; the same question is then asked once at a time in this
 * process, and all waiting callers share its answer. `replay` only looks up. The first two continue without the store when
 * PostgreSQL is unavailable. Each request gets a record, stored with the rating; without it if storing fails.
 */
export function createVerdicts(options: VerdictsOptions): Verdicts {
  const { store, promptVersion, logger, observer, storeWithinMs = storeWithinDefaultMs } = options;
  const keepSoon = gatherCalls(
    async (verdicts: readonly KeptVerdict[]) => {
      await store.keep(verdicts);
      return verdicts;
    },
    { itemsMax: keptTogetherMax },
  );
  const underWay = new Map<string, { group: string; reaching: Promise<ReachedVerdict> }>();

  async function inTime<Value>(promise: Promise<Value>, signal: AbortSignal): Promise<Value> {
    const limit = limitTime(signal, storeWithinMs);
    try {
      return await orAborted(promise, limit.signal);
    } finally {
      limit.clear();
    }
  }

  async function find(
    address: Buffer,
    { mode, owner, group, signal }: VerdictTerms,
  ): Promise<FoundVerdict | null | "away"> {
    try {
      const found = await inTime(store.find(owner, address, group), signal);
      observer.verdictLookedUp({ mode, outcome: found === null ? "miss" : "hit" });
      return found;
    } catch (err) {
      if (!signal.aborted) logger.warn({ err }, "stored verdicts could not be read");
      observer.verdictLookedUp({ mode, outcome: "unavailable" });
      return "away";
    }
  }

  async function askAndKeep(
    address: Buffer,
    subject: VerdictSubject,
    { owner, group, signal }: VerdictTerms,
    ask: Ask,
  ): Promise<ReachedVerdict> {
    const asked = await ask();
    const record = composeRecord(asked, subject);
    const answer = "answer" in asked ? asked.answer : null;
    // After a timeout the requester is gone.
    if (answer === null && (record === null || signal.aborted)) return reachedOf(asked, null);
    try {
      await inTime(keepSoon({ projectId: group, owner, address, answer, record }), signal);
      return reachedOf(asked, record?.id ?? null);
    } catch (err) {
      logger.warn({ err }, "a verdict could not be stored");
      if (answer !== null) observer.verdictNotKept();
      return reachedOf(asked, null);
    }
  }

  async function findOrAsk(
    address: Buffer,
    subject: VerdictSubject,
    terms: VerdictTerms,
    ask: Ask,
  ): Promise<ReachedVerdict> {
    const found = await find(address, terms);
    if (found !== null && found !== "away") return reachedAs("cache", found);
    return askAndKeep(address, subject, terms, ask);
  }

  /** The first caller looks up and asks for all. Its deadline is not theirs: if it times out, the next one asks. */
  async function findOrAskOnce(
    address: Buffer,
    subject: VerdictSubject,
    terms: VerdictTerms,
    ask: Ask,
  ): Promise<ReachedVerdict> {
    const key = `${terms.owner} ${address.toString("hex")}`;
    for (let first = underWay.get(key); first !== undefined; first = underWay.get(key)) {
      const reached = await orAborted(first.reaching, terms.signal).catch(() => outOfTime);
      // The record belongs to the first caller's project.
      const verdictId = first.group === terms.group ? reached.verdictId : null;
      if ("answer" in reached) return { ...reached, source: "cache", verdictId };
      if (reached.skipped !== "timeout" || terms.signal.aborted) return { ...reached, verdictId };
    }
    const reaching = findOrAsk(address, subject, terms, ask).finally(() => underWay.delete(key));
    underWay.set(key, { group: terms.group, reaching });
    return reaching;
  }

  async function replay(address: Buffer, terms: VerdictTerms): Promise<ReachedVerdict> {
    const found = await find(address, terms);
    if (found === null) return replayMiss;
    if (found === "away") return terms.signal.aborted ? outOfTime : replayUnavailable;
    return reachedAs("replay", found);
  }

  return {
    async reach(subject, terms, ask) {
      const { route, rubric, judged } = subject;
      const { api, host, model } = route;
      const address = addressOf({ api, host, model, promptVersion, rubric, judged, runNumber: terms.runNumber });
      if (terms.mode === "replay") return replay(address, terms);
      const comeBy = terms.mode === "cache" ? findOrAskOnce : askAndKeep;
      return comeBy(address, subject, terms, ask);
    },
  };
}

function reachedOf({ exchange: _, ...outcome }: Asked<ParsedVerdict>, verdictId: string | null): ReachedVerdict {
  return "answer" in outcome ? { ...outcome, source: "live", verdictId } : { ...outcome, verdictId };
}

function reachedAs(source: "cache" | "replay", { verdictId, ...answer }: FoundVerdict): ReachedVerdict {
  return { answer, source, verdictId };
}
