import type { Database } from "@touchstone/db";
import type { Clock } from "@touchstone/service-kit";
import { createAlertRuleStore } from "../alerts/alert-rule-store.ts";
import { createEvaluatorEventReader } from "../custom-evaluators/evaluator-event-reader.ts";
import { createEvaluatorStore } from "../custom-evaluators/evaluator-store.ts";
import { createAgreementReader } from "../dashboards/agreement-reader.ts";
import { createModelReader } from "../dashboards/model-reader.ts";
import { createTrafficReader } from "../dashboards/traffic-reader.ts";
import { createExportStore } from "../export/export-store.ts";
import { createPatternStore } from "../patterns/pattern-store.ts";
import { createProfileStore } from "../profiles/profile-store.ts";
import { createSignalStore } from "../signals/signal-store.ts";
import { createTopicMapReader } from "../topics/topic-map-reader.ts";
import { createTopicReader } from "../topics/topic-reader.ts";
import { createNewestTraces } from "../traces/newest-traces.ts";
import { createDeliveryLog } from "../webhooks/delivery-log.ts";
import { createWebhookStore } from "../webhooks/webhook-store.ts";

/** What requests read and change, over connections that tenants share. */
export function openRequestStores(database: Database, clock: Clock) {
  return {
    database,
    patterns: createPatternStore(database),
    newestTraces: createNewestTraces(database),
    profiles: createProfileStore(database),
    signals: createSignalStore(database),
    traffic: createTrafficReader(database),
    models: createModelReader(database),
    agreement: createAgreementReader(database),
    exports: createExportStore(database),
    webhooks: createWebhookStore({ database, clock }),
    deliveries: createDeliveryLog(database),
    alertRules: createAlertRuleStore({ database, clock }),
    evaluators: createEvaluatorStore(database),
    evaluatorEvents: createEvaluatorEventReader(database),
    topics: createTopicReader(database),
    topicMaps: createTopicMapReader(database),
  };
}
