import type { Bus } from "@touchstone/bus";
import type { Database } from "@touchstone/db";
import type { Logger, Metrics } from "@touchstone/service-kit";
import type { AlsoRecord } from "./checks/check-planner.ts";
import { createCheckStore } from "./checks/check-store.ts";
import { countChecks } from "./checks/start-checks.ts";
import type { AskEvaluator } from "./custom-evaluators/ask-evaluator.ts";
import { createCustomCheck } from "./custom-evaluators/custom-check.ts";
import type { EvaluatorStore } from "./custom-evaluators/evaluator-store.ts";
import { createScoreCustomMember } from "./custom-evaluators/score-custom-member.ts";
import type { IngestClient } from "./ingest-client.ts";
import type { LiveBudget } from "./judging/live-budget-store.ts";
import { createLiveJudge } from "./judging/live-judge.ts";
import { createGroupCheck } from "./live-scorers/group-check.ts";
import { createJudgeCheck } from "./live-scorers/judge-check.ts";
import type { LiveScorerStore } from "./live-scorers/live-scorer-store.ts";
import type { FindingStore } from "./model/finding.ts";
import type { PatternMatcher } from "./patterns/matching/pattern-matcher.ts";
import type { PatternStore } from "./patterns/pattern-store.ts";
import { createPatternsCheck } from "./patterns/patterns-check.ts";
import { createScorePatternMember } from "./patterns/score-pattern-member.ts";
import { createTopicCheck } from "./topics/topic-check.ts";
import type { TopicReader } from "./topics/topic-reader.ts";
import { recordOperational } from "./traces/operational-event-store.ts";
import type { VerdictExports } from "./verdicts/otlp-export/verdict-queue-store.ts";
import { announceJudgedTraces } from "./verdicts/verdict-store.ts";

/** Assembles every kind of live check, with its dependencies. */
export function assembleLiveChecks(parts: {
  database: Database;
  maintenance: Database;
  bus: Bus;
  logger: Logger;
  metrics: Metrics;
  ingest: IngestClient;
  patterns: PatternStore;
  matcher: PatternMatcher;
  liveScorers: LiveScorerStore;
  findings: FindingStore;
  budget: LiveBudget;
  evaluators: EvaluatorStore;
  askEvaluator: AskEvaluator;
  topics: TopicReader;
  verdictExports: VerdictExports;
  /** Traces that arrived over OTLP are searched for patterns. */
  watchesOtlp: boolean;
}) {
  const { database, maintenance, bus, logger, metrics, ...stores } = parts;
  const { ingest, patterns, matcher, liveScorers, findings, budget, evaluators, askEvaluator, topics, ...rest } =
    stores;
  const { watchesOtlp, verdictExports } = rest;
  const store = createCheckStore({ database, maintenance });
  const custom = { evaluators, ingest, askEvaluator };
  const judging = {
    database,
    liveScorers,
    ingest,
    judge: createLiveJudge({ bus, budget }),
    findings,
    verdictExports,
    memberScorers: {
      pattern: createScorePatternMember({ patterns, matcher, bus, budget }),
      custom: createScoreCustomMember(custom),
    },
  };
  const patternsCheck = createPatternsCheck({ patterns, matcher, ingest, findings, watchesOtlp, bus, budget, logger });
  return {
    patternsCheck,
    database,
    store,
    bus,
    checks: [
      patternsCheck,
      createJudgeCheck(judging),
      createGroupCheck(judging),
      createCustomCheck({ ...custom, findings, verdictExports }),
      createTopicCheck({ ingest, topics, budget, bus }),
    ],
    logger,
    onSettled: countChecks(metrics, store).onSettled,
    alsoRecord: recordSettledOutcomes,
  };
}

/**
 * The outcomes of settled traces: an event for each failure of the trace itself, and a message to ingest if the outcome
 * changed.
 */
export const recordSettledOutcomes: AlsoRecord = async (
  transaction,
  projectId,
  traces,
  { isFresh, isReclassified },
) => {
  await recordOperational(transaction, traces, isFresh);
  await announceJudgedTraces(transaction, projectId, traces.filter(isReclassified));
};
