import { alertRuleBody, webhookBody } from "../bodies.ts";
import { make } from "../make-things.ts";
import type { RouteEntries } from "../route-entry.ts";
import type { Tenant } from "../tenant.ts";
import { list, position, unchecked } from "./parts.ts";

const webhook = async (tenant: Tenant) => ({ webhookId: await make.webhook(tenant) });
const alertRule = async (tenant: Tenant) => ({ alertRuleId: await make.alertRule(tenant) });

/** Webhooks, their deliveries, and alert rules. */
export const notificationsEntries: RouteEntries = {
  createWebhook: { request: (_ids, tenant) => ({ body: webhookBody(tenant) }), own: 201, shows: true },
  listWebhooks: list,
  getWebhook: { ids: webhook, own: 200, shows: true },
  updateWebhook: {
    ids: webhook,
    request: (_ids, { canary }) => ({ body: { description: canary } }),
    own: 200,
    shows: true,
  },
  deleteWebhook: { ids: webhook, own: 204 },
  rotateWebhookSecret: { ids: webhook, own: 200, shows: true },
  testWebhook: { ids: webhook, own: 200, shows: true },
  listWebhookDeliveries: [
    list,
    {
      ids: async (tenant) => {
        const webhookId = await make.webhook(tenant);
        await make.webhookDelivery(tenant, webhookId);
        return { webhookId };
      },
      request: (ids) => ({ query: ids }),
      own: 200,
      refused: 200,
      shows: true,
    },
    {
      ids: async (tenant) => {
        const webhookId = await make.webhook(tenant);
        await make.webhookDelivery(tenant, webhookId);
        return { webhookId, cursor: await make.webhookDelivery(tenant, webhookId) };
      },
      request: (ids) => ({ query: ids }),
      own: 200,
      refused: { webhookId: 200, cursor: 200 },
      leaksByChance: { webhookId: "its deliveries may all be newer than the cursor" },
      malformed: { cursor: 400 },
      isPosition: ["cursor"],
      neverLeaks: { cursor: position },
    },
  ],
  replayWebhookDelivery: {
    ids: async (tenant) => ({ deliveryId: await make.webhookDelivery(tenant, await make.webhook(tenant)) }),
    own: 200,
    shows: true,
  },
  createAlertRule: {
    ids: async (tenant) => ({ agentId: await make.agent(tenant) }),
    request: ({ agentId }, tenant) => ({ body: { ...alertRuleBody(tenant), agentId } }),
    own: 201,
    refused: 201,
    malformed: { agentId: 400 },
    neverLeaks: { agentId: unchecked },
    shows: true,
  },
  tryAlertRule: {
    ids: async (tenant) => ({ agentId: await make.agent(tenant) }),
    request: ({ agentId }, tenant) => ({ body: { ...alertRuleBody(tenant), agentId } }),
    own: 200,
    refused: 200,
    malformed: { agentId: 400 },
    neverLeaks: { agentId: unchecked },
  },
  listAlertRules: list,
  getAlertRule: { ids: alertRule, own: 200, shows: true },
  updateAlertRule: { ids: alertRule, request: () => ({ body: { threshold: 2 } }), own: 200, shows: true },
  deleteAlertRule: { ids: alertRule, own: 204 },
};
