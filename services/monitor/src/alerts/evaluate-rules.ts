import type { Database } from "@touchstone/db";
import { AppError, type Logger } from "@touchstone/service-kit";
import type { FindingStore } from "../model/finding.ts";
import { type AlertRuleDocument, isCrossed } from "./alert-rule.ts";
import { describeAlert } from "./describe-alert.ts";
import { measure } from "./measure.ts";

export interface RuleTimings {
  /** How often each rule is evaluated. */
  everyMs: number;
  /** How often rules that are due are looked for. */
  pollMs: number;
}

const defaultTimings: RuleTimings = { everyMs: 60_000, pollMs: 5_000 };
/** Rules that a replica claims at once: as many as it evaluates well before they are due again. */
const claimedMax = 20;

/** The evaluation of alert rules at work. */
export interface RuleEvaluation {
  stop(): Promise<void>;
}

interface ClaimedRule {
  projectId: string;
  id: string;
  document: AlertRuleDocument;
}

/**
 * Starts evaluating the rules of all projects, each once a minute by whichever replica claims it. A replica that is
 * killed leaves its rules to the next minute. A rule that is broken raises its signal in the transaction that begins its
 * cooldown, so that neither is there without the other.
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
