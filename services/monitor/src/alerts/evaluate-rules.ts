import type { Database } from "@touchstone/db";
import { AppError, type Logger } from "@touchstone/service-kit";
import type { FindingStore } from "../model/finding.ts";
import { type AlertRuleDocument, isCrossed } from "./alert-rule.ts";
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

interface ClaimedRule {
  projectId: string;
  id: string;
  document: AlertRuleDocument;
}

/**
 * Starts evaluating the rules of all projects, each once a minute by the replica that claims it. A killed replica's rules are
 * evaluated in the next minute. A violated rule raises its signal and begins its cooldown in one transaction.
 */
export function evaluateRules(options: {
  database: Database;
  maintenance: Database;
  findings: Pick<FindingStore, "raise">;
  logger: Logger;
  timings?: RuleTimings;
}): RuleEvaluation {
  const { database, maintenance, findings, logger, timings = defaultTimings } = options;
  let evaluating: Promise<void> | null = null;
  let isStopping = false;

  async function evaluateDue(): Promise<void> {
    for (let isFull = true; isFull && !isStopping; ) {
      const rules = await claim();
      for (const rule of rules) {
        await evaluate(rule).catch((err) => {
          logger.warn({ err, projectId: rule.projectId, ruleId: rule.id }, "an alert rule could not be evaluated");
        });
      }
      isFull = rules.length === claimedMax;
    }
  }

  async function claim(): Promise<ClaimedRule[]> {
    const { rows } = await maintenance.query<{ project_id: string; id: string; document: string }>({
      name: "alert_rules_claim",
      text: `
        update monitor.alert_rules
        set evaluated_at = now()
        where (project_id, id) in (
          select project_id, id
          from monitor.alert_rules
          where enabled
            and (evaluated_at is null or evaluated_at <= now() - $1 * interval '1 millisecond')
          order by evaluated_at nulls first
          limit $2
          for update skip locked
        )
        returning project_id, id, document::text`,
      values: [timings.everyMs, claimedMax],
    });
    return rows.map((row) => ({
      projectId: row.project_id,
      id: row.id,
      document: JSON.parse(row.document) as AlertRuleDocument,
    }));
  }

  async function evaluate({ projectId, id, document }: ClaimedRule): Promise<void> {
    await database.scoped([projectId], async (transaction) => {
      const measured = await measure(transaction, projectId, document);
      if (!isCrossed(document, measured)) return;
      const { rowCount } = await transaction.query({
        name: "alert_rule_fire",
        text: `
          update monitor.alert_rules
          set last_fired_at = now()
          where project_id = $1
            and id = $2
            and enabled
            and (last_fired_at is null or last_fired_at <= now() - $3 * interval '1 minute')`,
        values: [projectId, id, document.cooldownMinutes],
      });
      if (rowCount !== 1) return;
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
