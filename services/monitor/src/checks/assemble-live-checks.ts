import type { Bus } from "@touchstone/bus";
import type { Database } from "@touchstone/db";
import type { Logger, Metrics } from "@touchstone/service-kit";
import type { AskEvaluator } from "../custom/ask-evaluator.ts";
import { createCustomCheck } from "../custom/custom-check.ts";
import type { EvaluatorStore } from "../custom/evaluator-store.ts";
import { createScoreCustomMember } from "../custom/score-custom-member.ts";
import type { IngestClient } from "../ingest/ingest-client.ts";
import { createGroupCheck } from "../judging/group-check.ts";
import { createJudgeCheck } from "../judging/judge-check.ts";
import type { LiveBudget } from "../judging/live-budget.ts";
import { createLiveJudge } from "../judging/live-judge.ts";
import type { LiveScorerStore } from "../live-scorers/live-scorer-store.ts";
import type { PatternMatcher } from "../patterns/pattern-matcher.ts";
import type { PatternStore } from "../patterns/pattern-store.ts";
import { createPatternsCheck } from "../patterns/patterns-check.ts";
import { createScorePatternMember } from "../patterns/score-pattern-member.ts";
import type { FindingStore } from "../signals/signal.ts";
import type { VerdictExports } from "../telemetry/verdict-exports.ts";
import { createTopicCheck } from "../topics/topic-check.ts";
import type { TopicReader } from "../topics/topic-reader.ts";
import { countChecks } from "./check-metrics.ts";
import { createCheckStore } from "./check-store.ts";
import { recordSettledOutcomes } from "./record-settled-outcomes.ts";

/** Every kind of live check there is, with what carries them out. */
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
  /** Whether traces that came over OTLP are looked through for patterns. */
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
