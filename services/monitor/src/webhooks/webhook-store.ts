import { limits, type WebhookEvent } from "@touchstone/contracts";
import type { Database, Queryable, Statement } from "@touchstone/db";
import { type Act, AppError, type Clock, namesOfChanged, uuidv7 } from "@touchstone/service-kit";
import type { Severity } from "../model/finding.ts";
import { recordAuditEvent } from "../outbox.ts";
import { newSalt } from "./sign-message.ts";
import type { Webhook, WebhookWishes } from "./webhook.ts";

/** A webhook with the salt that its secret is derived from. */
export interface SaltedWebhook {
  webhook: Webhook;
  salt: Buffer;
}

/**
 * The webhooks of projects (completions 10). Every change is recorded in the audit log, with only the host of the address,
 * since paths may contain credentials.
 */
export interface WebhookStore {
  /** Oldest first. */
  list(projectId: string): Promise<Webhook[]>;
  find(projectId: string, id: string): Promise<SaltedWebhook | null>;
  /** Throws `bad_request` when the project has the maximum number. */
  create(projectId: string, wishes: WebhookWishes, act: Act): Promise<SaltedWebhook>;
  /** Null when there is none. Pending messages go to the new address, and are given up when it is disabled. */
  change(
    projectId: string,
    id: string,
    compose: (stored: WebhookWishes) => WebhookWishes,
    act: Act,
  ): Promise<Webhook | null>;
  /** Null when there is none. */
  rotate(projectId: string, id: string, act: Act): Promise<SaltedWebhook | null>;
  /** False when there is none. */
  delete(projectId: string, id: string, act: Act): Promise<boolean>;
}

export function createWebhookStore({ database, clock }: { database: Database; clock: Clock }): WebhookStore {
  return {
    async list(projectId) {
      return (await database.readScoped<WebhookRow>([projectId], selectWebhooks(projectId))).rows.map(readRow);
    },

    async find(projectId, id) {
      const { rows } = await database.readScoped<WebhookRow>([projectId], selectWebhook(projectId, id));
      return rows.map(readSalted)[0] ?? null;
    },

    create: (projectId, wishes, act) =>
      database.scoped([projectId], async (transaction) => {
        await lock(transaction, projectId);
        if ((await listWebhooksIn(transaction, projectId)).length >= limits.webhooksMax) {
          throw new AppError("bad_request", `A project has at most ${limits.webhooksMax} webhooks`);
        }
        const { rows } = await transaction.query<WebhookRow>(buildCreate(projectId, wishes, clock.now()));
        const [row] = rows;
        if (row === undefined) throw new Error("a webhook was stored and none came back");
        const details = { host: hostOf(wishes.url), enabled: wishes.enabled };
        await recordAuditEvent(transaction, act, { action: "webhook.created", targetId: row.id, details });
        return readSalted(row);
      }),

    change: (projectId, id, compose, act) =>
      database.scoped([projectId], async (transaction) => {
        await lock(transaction, projectId);
        const stored = (await transaction.query<WebhookRow>(selectWebhook(projectId, id))).rows.map(readRow)[0];
        if (stored === undefined) return null;
        const wishes = compose(stored);
        const { rows } = await transaction.query<WebhookRow>(buildChange(projectId, id, wishes, clock.now()));
        if (!wishes.enabled) await giveUpDeliveries(transaction, projectId, id, "The webhook was disabled.");
        else if (wishes.url !== stored.url) await redirectDeliveries(transaction, projectId, id, wishes.url);
        const [after] = rows.map(readRow);
        if (after === undefined) return null;
        const changed = namesOfChanged({ ...stored, updatedAt: null }, { ...after, updatedAt: null });
        if (changed !== "") {
          const details = { host: hostOf(after.url), changed, enabled: after.enabled };
          await recordAuditEvent(transaction, act, { action: "webhook.changed", targetId: id, details });
        }
        return after;
      }),

    rotate: (projectId, id, act) =>
      database.scoped([projectId], async (transaction) => {
        const { rows } = await transaction.query<WebhookRow>({
          name: "webhook_rotate",
          text: `
            update monitor.webhooks
            set previous_salt = secret_salt,
                secret_salt = $3,
                rotated_at = now(),
                updated_at = $4
            where project_id = $1
              and id = $2
            returning ${columns}`,
          values: [projectId, id, newSalt(), new Date(clock.now())],
        });
        const [rotated] = rows.map(readSalted);
        if (rotated === undefined) return null;
        const details = { host: hostOf(rotated.webhook.url) };
        await recordAuditEvent(transaction, act, { action: "webhook.secret-rotated", targetId: id, details });
        return rotated;
      }),

    delete: (projectId, id, act) =>
      database.scoped([projectId], async (transaction) => {
        const { rows } = await transaction.query<{ url: string }>({
          name: "webhook_delete",
          text: `
            delete from monitor.webhooks
            where project_id = $1
              and id = $2
            returning url`,
          values: [projectId, id],
        });
        const [deleted] = rows;
        if (deleted === undefined) return false;
        await giveUpDeliveries(transaction, projectId, id, "The webhook was deleted.");
        const details = { host: hostOf(deleted.url) };
        await recordAuditEvent(transaction, act, { action: "webhook.deleted", targetId: id, details });
        return true;
      }),
  };
}

const hostOf = (url: string): string => new URL(url).host;

/** All of a project's webhooks, within a transaction; oldest first. */
export async function listWebhooksIn(transaction: Queryable, projectId: string): Promise<Webhook[]> {
  return (await transaction.query<WebhookRow>(selectWebhooks(projectId))).rows.map(readRow);
}

/** Disables a webhook automatically, and gives up its pending messages. */
export async function disableWebhook(
  transaction: Queryable,
  projectId: string,
  id: string,
  reason: string,
): Promise<void> {
  await transaction.query({
    name: "webhook_disable",
    text: `
      update monitor.webhooks
      set enabled = false,
          disabled_reason = $3,
          updated_at = now()
      where project_id = $1
        and id = $2`,
    values: [projectId, id, reason],
  });
  await giveUpDeliveries(transaction, projectId, id, reason);
}

async function giveUpDeliveries(
  transaction: Queryable,
  projectId: string,
  webhookId: string,
  reason: string,
): Promise<void> {
  await transaction.query({
    name: "webhook_deliveries_give_up",
    text: `
      update monitor.webhook_deliveries
      set status = 'failed',
          last_error = $3,
          leased_by = null,
          settled_at = now()
      where project_id = $1
        and webhook_id = $2
        and status = 'pending'`,
    values: [projectId, webhookId, reason],
  });
}

async function redirectDeliveries(
  transaction: Queryable,
  projectId: string,
  webhookId: string,
  url: string,
): Promise<void> {
  await transaction.query({
    name: "webhook_deliveries_redirect",
    text: `
      update monitor.webhook_deliveries
      set url = $3,
          host = $4
      where project_id = $1
        and webhook_id = $2
        and status = 'pending'`,
    values: [projectId, webhookId, url, hostOf(url)],
  });
}

async function lock(transaction: Queryable, projectId: string): Promise<void> {
  await transaction.query({
    name: "webhooks_lock",
    text: "select pg_advisory_xact_lock(hashtextextended('touchstone webhooks ' || $1::text, 0))",
    values: [projectId],
  });
}

const columns = `
  id, url, description, events, min_severity, agent_ids::text[] as agent_ids, enabled, disabled_reason, secret_salt,
  created_at, updated_at`;

const buildCreate = (projectId: string, wishes: WebhookWishes, now: number): Statement => ({
  name: "webhook_create",
  text: `
    insert into monitor.webhooks
      (project_id, id, url, description, events, min_severity, agent_ids, enabled, secret_salt, created_at,
       updated_at)
    values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $10)
    returning ${columns}`,
  values: [projectId, uuidv7(now), ...valuesOf(wishes), newSalt(), new Date(now)],
});

const buildChange = (projectId: string, id: string, wishes: WebhookWishes, now: number): Statement => ({
  name: "webhook_change",
  text: `
    update monitor.webhooks
    set url = $3,
        description = $4,
        events = $5,
        min_severity = $6,
        agent_ids = $7,
        enabled = $8,
        disabled_reason = case when $8 then null else disabled_reason end,
        updated_at = $9
    where project_id = $1
      and id = $2
    returning ${columns}`,
  values: [projectId, id, ...valuesOf(wishes), new Date(now)],
});

/** In the order of the columns from `url` to `enabled`. */
const valuesOf = ({ url, description, events, minSeverity, agentIds, enabled }: WebhookWishes): unknown[] => [
  url,
  description,
  events,
  minSeverity,
  agentIds,
  enabled,
];

const selectWebhooks = (projectId: string): Statement => ({
  name: "webhooks_list",
  text: `
    select ${columns}
    from monitor.webhooks
    where project_id = $1
    order by id`,
  values: [projectId],
});

const selectWebhook = (projectId: string, id: string): Statement => ({
  name: "webhook_find",
  text: `
    select ${columns}
    from monitor.webhooks
    where project_id = $1
      and id = $2`,
  values: [projectId, id],
});

type WebhookRow = {
  id: string;
  url: string;
  description: string | null;
  events: WebhookEvent[];
  min_severity: Severity;
  agent_ids: string[];
  enabled: boolean;
  disabled_reason: string | null;
  secret_salt: Buffer;
  created_at: Date;
  updated_at: Date;
};

const readRow = (row: WebhookRow): Webhook => ({
  id: row.id,
  url: row.url,
  description: row.description,
  events: row.events,
  minSeverity: row.min_severity,
  agentIds: row.agent_ids,
  enabled: row.enabled,
  disabledReason: row.disabled_reason,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
});

const readSalted = (row: WebhookRow): SaltedWebhook => ({ webhook: readRow(row), salt: row.secret_salt });
