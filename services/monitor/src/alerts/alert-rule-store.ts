import { limits } from "@touchstone/contracts";
import type { Database, Queryable, Statement } from "@touchstone/db";
import { type Act, AppError, type Clock, namesOfChanged, uuidv7 } from "@touchstone/service-kit";
import { recordAuditEvent } from "../outbox.ts";
import type { AlertRuleDocument, StoredAlertRule } from "./alert-rule.ts";

/** The alert rules of projects. Every change is recorded in the audit log. */
export interface AlertRuleStore {
  /** Oldest first. */
  list(projectId: string): Promise<StoredAlertRule[]>;
  find(projectId: string, id: string): Promise<StoredAlertRule | null>;
  /** Throws `bad_request` when the project has the maximum number. */
  create(projectId: string, document: AlertRuleDocument, act: Act): Promise<StoredAlertRule>;
  /** Null when there is none. */
  change(
    projectId: string,
    id: string,
    compose: (stored: AlertRuleDocument) => AlertRuleDocument,
    act: Act,
  ): Promise<StoredAlertRule | null>;
  /** False when there is none. */
  delete(projectId: string, id: string, act: Act): Promise<boolean>;
}

export function createAlertRuleStore({ database, clock }: { database: Database; clock: Clock }): AlertRuleStore {
  return {
    async list(projectId) {
      return (await database.readScoped<RuleRow>([projectId], selectRules(projectId))).rows.map(readRow);
    },

    async find(projectId, id) {
      return (await database.readScoped<RuleRow>([projectId], selectRule(projectId, id))).rows.map(readRow)[0] ?? null;
    },

    create: (projectId, document, act) =>
      database.scoped([projectId], async (transaction) => {
        await lock(transaction, projectId);
        const { rows: others } = await transaction.query<RuleRow>(selectRules(projectId));
        if (others.length >= limits.alertRulesMax) {
          throw new AppError("bad_request", `A project has at most ${limits.alertRulesMax} alert rules`);
        }
        const { rows } = await transaction.query<RuleRow>({
          name: "alert_rule_create",
          text: `
            insert into monitor.alert_rules (project_id, id, document, enabled, created_at, updated_at)
            values ($1, $2, $3, $4, $5, $5)
            returning ${columns}`,
          values: [projectId, uuidv7(clock.now()), JSON.stringify(document), document.enabled, new Date(clock.now())],
        });
        const [row] = rows;
        if (row === undefined) throw new Error("an alert rule was stored and none came back");
        await recordAuditEvent(transaction, act, {
          action: "alert-rule.created",
          targetId: row.id,
          details: { name: document.name, enabled: document.enabled },
        });
        return readRow(row);
      }),

    change: (projectId, id, compose, act) =>
      database.scoped([projectId], async (transaction) => {
        await lock(transaction, projectId);
        const { rows: found } = await transaction.query<RuleRow>(selectRule(projectId, id));
        const [stored] = found.map(readRow);
        if (stored === undefined) return null;
        const document = compose(stored.document);
        const { rows } = await transaction.query<RuleRow>({
          name: "alert_rule_change",
          text: `
            update monitor.alert_rules
            set document = $3,
                enabled = $4,
                updated_at = $5
            where project_id = $1
              and id = $2
            returning ${columns}`,
          values: [projectId, id, JSON.stringify(document), document.enabled, new Date(clock.now())],
        });
        const changed = namesOfChanged(stored.document, document);
        if (changed !== "") {
          const details = { name: document.name, changed, enabled: document.enabled };
          await recordAuditEvent(transaction, act, { action: "alert-rule.changed", targetId: id, details });
        }
        return rows.map(readRow)[0] ?? null;
      }),

    delete: (projectId, id, act) =>
      database.scoped([projectId], async (transaction) => {
        const { rows } = await transaction.query<{ name: string }>({
          name: "alert_rule_delete",
          text: `
            delete from monitor.alert_rules
            where project_id = $1
              and id = $2
            returning document ->> 'name' as name`,
          values: [projectId, id],
        });
        const [deleted] = rows;
        if (deleted === undefined) return false;
        await recordAuditEvent(transaction, act, { action: "alert-rule.deleted", targetId: id, details: deleted });
        return true;
      }),
  };
}

async function lock(transaction: Queryable, projectId: string): Promise<void> {
  await transaction.query({
    name: "alert_rules_lock",
    text: "select pg_advisory_xact_lock(hashtextextended('touchstone alert rules ' || $1::text, 0))",
    values: [projectId],
  });
}

const columns = "id, document::text, last_fired_at, created_at, updated_at";

const selectRules = (projectId: string): Statement => ({
  name: "alert_rules_list",
  text: `
    select ${columns}
    from monitor.alert_rules
    where project_id = $1
    order by id`,
  values: [projectId],
});

const selectRule = (projectId: string, id: string): Statement => ({
  name: "alert_rule_find",
  text: `
    select ${columns}
    from monitor.alert_rules
    where project_id = $1
      and id = $2`,
  values: [projectId, id],
});

type RuleRow = { id: string; document: string; last_fired_at: Date | null; created_at: Date; updated_at: Date };

const readRow = (row: RuleRow): StoredAlertRule => ({
  id: row.id,
  document: JSON.parse(row.document) as AlertRuleDocument,
  lastFiredAt: row.last_fired_at,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
});

/** A rule of any project that is due. */
export interface ClaimedRule {
  projectId: string;
  id: string;
  document: AlertRuleDocument;
}

/** Claims at most `claimedMax` rules that were not evaluated for `everyMs`. `maintenance` sees every project. */
export async function claimRules(maintenance: Database, everyMs: number, claimedMax: number): Promise<ClaimedRule[]> {
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
    values: [everyMs, claimedMax],
  });
  return rows.map((row) => ({
    projectId: row.project_id,
    id: row.id,
    document: JSON.parse(row.document) as AlertRuleDocument,
  }));
}

/** Begins the cooldown of a rule; false while it lasts, or the rule is disabled. */
export async function noteFiring(
  transaction: Queryable,
  projectId: string,
  id: string,
  cooldownMinutes: number,
): Promise<boolean> {
  const { rowCount } = await transaction.query({
    name: "alert_rule_fire",
    text: `
      update monitor.alert_rules
      set last_fired_at = now()
      where project_id = $1
        and id = $2
        and enabled
        and (last_fired_at is null or last_fired_at <= now() - $3 * interval '1 minute')`,
    values: [projectId, id, cooldownMinutes],
  });
  return rowCount === 1;
}
