import {
  alertRuleList,
  alertRuleParams,
  alertRuleReply,
  alertRuleSentences,
  alertTrialReply,
  changedAlertRule,
  submittedAlertRule,
  triedAlertRule,
} from "../http/alert-rules.ts";
import {
  changedWebhook,
  submittedWebhook,
  webhookDeliveriesQuery,
  webhookDeliveryList,
  webhookDeliveryParams,
  webhookDeliveryReply,
  webhookList,
  webhookParams,
  webhookReply,
  webhookSecretReply,
  webhookSentences,
} from "../http/webhooks.ts";
import { judged } from "../judged-body.ts";
import type { Route } from "../route.ts";
import { byAdmin, byMember, checkedBody, dataPlane, error, json, prefix } from "./route-parts.ts";

const monitor = { ...dataPlane, owner: "monitor", section: "completions 10" } as const;

const webhooksPath = `${prefix}/agent-monitoring/webhooks`;
const webhookPath = `${webhooksPath}/{webhookId}`;
const deliveriesPath = `${prefix}/agent-monitoring/webhook-deliveries`;
const rulesPath = `${prefix}/agent-monitoring/alert-rules`;
const rulePath = `${rulesPath}/{alertRuleId}`;
const neededOfRule = ["name", "metric", "comparison", "threshold", "windowMinutes"] as const;
const noWebhook = error("No such webhook in the project.");
const noRule = error("No such alert rule in the project.");

/** Receivers of failure notifications, and the rules over traffic that trigger them. */
export const notificationRoutes = {
  createWebhook: {
    ...monitor,
    ...byAdmin,
    id: "createWebhook",
    method: "POST",
    path: webhooksPath,
    body: judged(json(submittedWebhook), { ...webhookSentences, url: "url is required" }),
    responses: {
      201: { description: "The webhook, and its secret, which is not shown again.", schema: webhookSecretReply },
      ...checkedBody,
    },
    summary: "Notify an address of failures.",
  },
  listWebhooks: {
    ...monitor,
    id: "listWebhooks",
    method: "GET",
    path: webhooksPath,
    responses: { 200: { description: "Oldest first.", schema: webhookList } },
    summary: "List webhooks.",
  },
  getWebhook: {
    ...monitor,
    id: "getWebhook",
    method: "GET",
    path: webhookPath,
    params: webhookParams,
    responses: { 200: { description: "The webhook.", schema: webhookReply }, 404: noWebhook },
    summary: "Read a webhook.",
  },
  updateWebhook: {
    ...monitor,
    ...byAdmin,
    id: "updateWebhook",
    method: "PUT",
    path: webhookPath,
    params: webhookParams,
    body: judged(json(changedWebhook), webhookSentences),
    responses: { 200: { description: "The webhook.", schema: webhookReply }, ...checkedBody, 404: noWebhook },
    summary: "Change a webhook.",
  },
  deleteWebhook: {
    ...monitor,
    ...byAdmin,
    id: "deleteWebhook",
    method: "DELETE",
    path: webhookPath,
    params: webhookParams,
    responses: { 204: { description: "It is gone; what was on its way is given up.", schema: null }, 404: noWebhook },
    summary: "Delete a webhook.",
  },
  rotateWebhookSecret: {
    ...monitor,
    ...byAdmin,
    id: "rotateWebhookSecret",
    method: "POST",
    path: `${webhookPath}/rotate-secret`,
    params: webhookParams,
    responses: {
      200: { description: "The webhook, and its new secret, which is not shown again.", schema: webhookSecretReply },
      404: noWebhook,
    },
    summary: "Give a webhook a new secret; for a day the old one signs as well.",
  },
  testWebhook: {
    ...monitor,
    ...byAdmin,
    id: "testWebhook",
    method: "POST",
    path: `${webhookPath}/test`,
    params: webhookParams,
    responses: {
      200: { description: "What became of it.", schema: webhookDeliveryReply },
      404: noWebhook,
      409: error("As many messages of the project are on their way as there may be."),
    },
    summary: "Send a webhook an event `webhook.test`, once, and tell what became of it.",
  },
  listWebhookDeliveries: {
    ...monitor,
    id: "listWebhookDeliveries",
    method: "GET",
    path: deliveriesPath,
    query: webhookDeliveriesQuery,
    responses: {
      200: { description: "Newest first.", schema: webhookDeliveryList },
      400: error("A filter is none of its values."),
    },
    summary: "List what was sent to webhooks and channels.",
  },
  replayWebhookDelivery: {
    ...monitor,
    ...byAdmin,
    id: "replayWebhookDelivery",
    method: "POST",
    path: `${deliveriesPath}/{deliveryId}/replay`,
    params: webhookDeliveryParams,
    responses: {
      200: { description: "The delivery, due now, under the same id.", schema: webhookDeliveryReply },
      404: error("No such delivery in the project."),
      409: error("It is on its way, or its webhook is disabled or gone."),
    },
    summary: "Send once more what was delivered or given up.",
  },
  createAlertRule: {
    ...monitor,
    ...byMember,
    id: "createAlertRule",
    method: "POST",
    path: rulesPath,
    body: judged(json(submittedAlertRule), alertRuleSentences, neededOfRule),
    responses: { 201: { description: "The rule.", schema: alertRuleReply }, ...checkedBody },
    summary: "Raise a signal when traffic crosses a threshold.",
  },
  tryAlertRule: {
    ...monitor,
    ...byMember,
    id: "tryAlertRule",
    method: "POST",
    path: `${rulesPath}/dry-run`,
    body: judged(json(triedAlertRule), alertRuleSentences, neededOfRule),
    responses: { 200: { description: "What it would have said.", schema: alertTrialReply }, ...checkedBody },
    summary: "Try an alert rule on the last days; nothing is stored.",
  },
  listAlertRules: {
    ...monitor,
    id: "listAlertRules",
    method: "GET",
    path: rulesPath,
    responses: { 200: { description: "Oldest first.", schema: alertRuleList } },
    summary: "List alert rules.",
  },
  getAlertRule: {
    ...monitor,
    id: "getAlertRule",
    method: "GET",
    path: rulePath,
    params: alertRuleParams,
    responses: { 200: { description: "The rule.", schema: alertRuleReply }, 404: noRule },
    summary: "Read an alert rule.",
  },
  updateAlertRule: {
    ...monitor,
    ...byMember,
    id: "updateAlertRule",
    method: "PUT",
    path: rulePath,
    params: alertRuleParams,
    body: judged(json(changedAlertRule), alertRuleSentences),
    responses: { 200: { description: "The rule.", schema: alertRuleReply }, ...checkedBody, 404: noRule },
    summary: "Change an alert rule.",
  },
  deleteAlertRule: {
    ...monitor,
    ...byMember,
    id: "deleteAlertRule",
    method: "DELETE",
    path: rulePath,
    params: alertRuleParams,
    responses: { 204: { description: "It is gone; its signal stays.", schema: null }, 404: noRule },
    summary: "Delete an alert rule.",
  },
} as const satisfies Record<string, Route>;
