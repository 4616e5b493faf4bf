import type { Bus } from "@touchstone/bus";
import type { Database } from "@touchstone/db";
import { AppError, type Logger } from "@touchstone/service-kit";
import type { FindingStore } from "../model/finding.ts";
import { isCrossed } from "./alert-rule.ts";
import { type ClaimedRule, claimRules, noteFiring } from "./alert-rule-store.ts";
import { describeAlert } from "./describe-alert.ts";
import { measure } from "./measurement-reader.ts";

export interface RuleTimings {
  /** The interval between evaluations of a rule. */
  everyMs: number;
  /** The interval between polls for due rules. */
  pollMs: number;
}

const defaultTimings: RuleTimings = { everyMs: 60_000, pollMs: 5_000 };
/** Rules that a replica claims at once: few enough to evaluate them well before they are due again. */
const claimedMax = 20;

/** The running evaluation of alert rules. */
export interface RuleEvaluation {
  stop(): Promise<void>;
}

/**
 * Starts evaluating the rules of all projects, each once a minute by the replica that claims it. A killed replica's rules are
 * evaluated in the next minute, and so is a rule with a lower limit while events wait for the bus. A violated rule raises its
 * signal and begins its cooldown in one transaction.
 */
export function evaluateRules(options: {
  database: Database;
  maintenance: Database;
  findings: Pick<FindingStore, "raise">;
  bus: Pick<Bus, "status">;
  logger: Logger;
  timings?: RuleTimings;
}): RuleEvaluation {
  const { database, maintenance, findings, bus, logger, timings = defaultTimings } = options;
  let evaluating: Promise<void> | null = null;
  let lastDisconnectedMs = performance.now();
  let isStopping = false;

  /** Traces may wait for the bus, or have waited until a moment ago: a low measurement says nothing. */
  const isBehind = (): boolean => performance.now() - lastDisconnectedMs < timings.everyMs;

  async function evaluateDue(): Promise<void> {
    if (bus.status() !== "connected") lastDisconnectedMs = performance.now();
    for (let isFull = true; isFull && !isStopping; ) {
      const rules = await claimRules(maintenance, timings.everyMs, claimedMax);
      for (const rule of rules) {
        await evaluate(rule).catch((err) => {
          logger.warn({ err, projectId: rule.projectId, ruleId: rule.id }, "an alert rule could not be evaluated");
        });
      }
      isFull = rules.length === claimedMax;
    }
  }

  async function evaluate({ projectId, id, document }: ClaimedRule): Promise<void> {
    if (document.comparison === "below" && isBehind()) return;
    await database.scoped([projectId], async (transaction) => {
      const measured = await measure(transaction, projectId, document);
      if (!isCrossed(document, measured)) return;
      if (!(await noteFiring(transaction, projectId, id, document.cooldownMinutes))) return;
      await findings.raise(
        transaction,
        projectId,
        {
          patternKey: `alert-rule:${id}`,
          polarity: "failure",
          severity: document.severity,
          agentId: document.agentId,
          traceId: null,
          sessionId: null,
          rating: null,
          justification: null,
          createdAt: new Date().toISOString(),
        },
        {
          type: "alert_rule",
          summary: describeAlert(document, measured),
          rootCause: null,
          query: null,
          responsePreview: null,
        },
      );
    });
  }

  const timer = setInterval(() => {
    evaluating ??= evaluateDue()
      .catch((err) => {
        if (!(err instanceof AppError)) logger.error({ err }, "evaluating alert rules failed unexpectedly");
      })
      .finally(() => {
        evaluating = null;
      });
  }, timings.pollMs);

  return {
    async stop() {
      isStopping = true;
      clearInterval(timer);
      await evaluating;
    },
  };
}
