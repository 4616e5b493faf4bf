import type { Bus } from "@touchstone/bus";
import type { JudgedTrace, MonitoringDefaults, SettledTrace, StoredTrace } from "@touchstone/contracts";
import type { Queryable } from "@touchstone/db";
import type { Logger } from "@touchstone/service-kit";
import { type Check, type CheckOutcome, type DueCheck, type PlannedCheck, timeoutTriesMax } from "../checks/check.ts";
import type { IngestClient } from "../ingest-client.ts";
import { isIngestUnavailable } from "../judging/judged-subject.ts";
import type { LiveBudget } from "../judging/live-budget-store.ts";
import { type FindingStore, previewOf } from "../model/finding.ts";
import { readDefaultsIn, readProfileIn } from "../profiles/profile-store.ts";
import { askJudge, JudgeUnavailableError } from "./ask-judge.ts";
import { choosePatterns } from "./choose-patterns.ts";
import { type Findings, findInTexts, findMatches, type PatternMatch } from "./matching/find-matches.ts";
import type { PatternChoice } from "./matching/pattern.ts";
import { NoThreadError, type PatternMatcher } from "./matching/pattern-matcher.ts";
import { builtinLook, checkedContent, describeCut, readTraceTexts } from "./matching/trace-texts.ts";
import { BudgetSpentError } from "./matching/undecided-error.ts";
import { listChoicesIn, type PatternStore } from "./pattern-store.ts";
import { withinLiveBudget } from "./within-live-budget.ts";

/** Decided when the check is planned. */
interface PatternsPlan {
  patternIds: readonly string[];
  builtinKeys: readonly string[];
  agentId: string | null;
  sessionId: string | null;
  /** The trace's own time, ISO 8601. */
  createdAt: string;
}

/** The check of patterns, which is also planned for just stored traces if the submitter requests it. */
export interface PatternsCheck extends Check {
  planAtOnce(trace: StoredTrace, transaction: Queryable): Promise<PlannedCheck[]>;
}

/** The last try records partial results: an undecided judge does not delay the findings of other patterns. */
const lastAttempt = 5;

interface PatternsDependencies {
  patterns: Pick<PatternStore, "findAll">;
  ingest: Pick<IngestClient, "readTrace">;
  findings: FindingStore;
  /** Traces that arrived over OTLP are searched (completions 1.7). */
  watchesOtlp: boolean;
  matcher: PatternMatcher;
  bus: Bus;
  /** Semantic conditions use judge calls of live traffic. */
  budget: Pick<LiveBudget, "reserve" | "release">;
  logger: Logger;
}

/** Searches one trace for built-in patterns and the project's own, in one check (completions 9.3). */
export function createPatternsCheck(dependencies: PatternsDependencies): PatternsCheck {
  const { patterns, ingest, findings, watchesOtlp, matcher } = dependencies;
  const readWatch = createWatchReader();

  async function plan(
    trace: StoredTrace & Partial<Pick<SettledTrace, "sessionId" | "otelTraceId">>,
    transaction: Queryable,
  ): Promise<PlannedCheck[]> {
    const { projectId, traceId, agentId } = trace;
    if (!watchesOtlp && typeof trace.otelTraceId === "string") return [];
    const { defaults, patterns: known } = await readWatch(transaction, projectId);
    if (known.length === 0 && defaults.enabledBuiltinPatterns.length === 0) return [];
    const profile = agentId === null ? {} : await readProfileIn(transaction, projectId, agentId);
    const chosen = choosePatterns(trace, { defaults, profile, patterns: known });
    if (chosen.patternIds.length === 0 && chosen.builtinKeys.length === 0) return [];
    const sessionId = trace.sessionId ?? null;
    const planned: PatternsPlan = { ...chosen, agentId, sessionId, createdAt: trace.createdAt };
    return [{ kind: "patterns", scorerId: "", subjectId: traceId, round: 0, plan: planned }];
  }

  async function carryOut(check: DueCheck, signal: AbortSignal): Promise<CheckOutcome> {
    const { projectId, subjectId: traceId } = check;
    const planned = check.plan as PatternsPlan;
    const read = await readTrace(ingest, projectId, traceId);
    if ("outcome" in read) return read;
    if (read.trace === null) return { outcome: "skipped", reason: "the trace is gone" };
    const { trace } = read;
    const { patternIds } = planned;
    const stored = patternIds.length === 0 ? [] : await patterns.findAll(projectId, patternIds);
    // The check may have waited for hours: a pattern that was paused meanwhile finds nothing more.
    const own = stored.filter(({ document }) => document.enabled);
    const checked = readTraceTexts(trace);
    const { builtinKeys } = planned;
    const found = await findInTexts(checked, { builtinKeys, patterns: own }, { projectId, signal, matcher }).catch(
      postponeWithoutThread,
    );
    if ("outcome" in found) return found;
    const isLate = found.overran.length > 0;
    const reason = found.overran.join("; ");
    // Judges are asked after the texts were searched.
    if (isLate && check.attempt < timeoutTriesMax) return { outcome: "timeout", reason, record: async () => {} };
    const isLast = isLate || check.attempt >= lastAttempt;
    const decided = await decide(dependencies, found, { check, signal, isLast });
    if ("outcome" in decided) return decided;
    const record = async (transaction: Queryable): Promise<void> => {
      // In a fixed order, so that checks that raise the same signals cannot deadlock.
      for (const match of decided.matches.toSorted(byKey)) {
        await recordMatch(findings, transaction, { projectId, traceId, planned, trace, match });
      }
    };
    if (isLate) return { outcome: "timeout", reason, record };
    const looks = [
      ...own.flatMap(({ document }) => document.conditions),
      ...(builtinKeys.length > 0 ? [builtinLook] : []),
    ];
    return { outcome: "done", record, note: describeCut(checked, looks) };
  }

  return { kind: "patterns", plan, planAtOnce: plan, carryOut };
}

interface Watch {
  defaults: MonitoringDefaults;
  patterns: readonly PatternChoice[];
}

/** Reads the rules of a project once per planning transaction: many traces of one project settle together. */
function createWatchReader(): (transaction: Queryable, projectId: string) => Promise<Watch> {
  const watches = new WeakMap<Queryable, Map<string, Promise<Watch>>>();
  return (transaction, projectId) => {
    const known = watches.get(transaction) ?? new Map<string, Promise<Watch>>();
    watches.set(transaction, known);
    let watch = known.get(projectId);
    if (watch === undefined) {
      watch = readRules(transaction, projectId);
      known.set(projectId, watch);
    }
    return watch;
  };
}

async function readRules(transaction: Queryable, projectId: string): Promise<Watch> {
  return {
    defaults: await readDefaultsIn(transaction, projectId),
    patterns: await listChoicesIn(transaction, projectId),
  };
}

async function readTrace(
  ingest: Pick<IngestClient, "readTrace">,
  projectId: string,
  traceId: string,
): Promise<{ trace: JudgedTrace | null } | CheckOutcome> {
  try {
    return { trace: await ingest.readTrace(projectId, traceId, checkedContent) };
  } catch (thrown) {
    if (isIngestUnavailable(thrown)) return { outcome: "postponed", reason: thrown.message };
    throw thrown;
  }
}

/** Postpones when the queue for threads is full. */
function postponeWithoutThread(thrown: unknown): CheckOutcome {
  if (!(thrown instanceof NoThreadError)) throw thrown;
  return { outcome: "postponed", reason: thrown.message };
}

/** Asks the judge about semantic conditions. */
async function decide(
  { bus, budget, logger }: Pick<PatternsDependencies, "bus" | "budget" | "logger">,
  found: Findings,
  { check, signal, isLast }: { check: DueCheck; signal: AbortSignal; isLast: boolean },
): Promise<{ matches: PatternMatch[] } | CheckOutcome> {
  const { projectId, subjectId: traceId } = check;
  try {
    const ask = withinLiveBudget(askJudge(bus, { projectId }, signal), { budget, projectId });
    const { matches, undecided } = await findMatches(found, ask);
    const transient = undecided.find(({ isLasting }) => !isLasting);
    if (transient !== undefined && !isLast) return { outcome: "retry", reason: transient.message };
    if (undecided.length > 0) {
      const reasons = [...new Set(undecided.map(({ message }) => message))];
      logger.warn({ projectId, traceId, undecided: undecided.length, reasons }, "patterns were left undecided");
    }
    const stopped = undecided.find((each) => each instanceof BudgetSpentError);
    // Without any other pattern to search for, nothing was checked.
    const { builtinKeys } = check.plan as PatternsPlan;
    const isNothingElse = undecided.length === found.looked.length && found.overran.length === 0;
    if (stopped !== undefined && isNothingElse && builtinKeys.length === 0) {
      return { outcome: "skipped", reason: stopped.message };
    }
    return { matches };
  } catch (thrown) {
    if (thrown instanceof JudgeUnavailableError) return { outcome: "postponed", reason: thrown.message };
    throw thrown;
  }
}

async function recordMatch(
  findings: FindingStore,
  transaction: Queryable,
  found: { projectId: string; traceId: string; planned: PatternsPlan; trace: JudgedTrace; match: PatternMatch },
): Promise<void> {
  const { projectId, traceId, planned, trace, match } = found;
  const finding = {
    patternKey: match.patternKey,
    kind: "pattern" as const,
    polarity: match.polarity,
    severity: match.severity,
    agentId: planned.agentId,
    traceId,
    sessionId: planned.sessionId,
    rating: null,
    justification: match.reason,
    createdAt: planned.createdAt,
  };
  await findings.record(transaction, projectId, finding, {
    type: match.type,
    summary: describe(match, trace.name),
    rootCause: match.reason,
    query: previewOf(trace.input),
    responsePreview: previewOf(trace.output),
  });
}

const byKey = (one: PatternMatch, other: PatternMatch): number =>
  one.patternKey < other.patternKey ? -1 : one.patternKey > other.patternKey ? 1 : 0;

/** The headline for people. */
function describe({ name, polarity, type }: PatternMatch, agentName: string): string {
  const what = type === "pattern_match" ? `The pattern "${name}" matches` : name;
  return polarity === "failure" ? `${what}: ${agentName}` : `${what} (proper): ${agentName}`;
}
