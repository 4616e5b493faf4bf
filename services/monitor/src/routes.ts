import type { Bus } from "@touchstone/bus";
import { internalRoutes } from "@touchstone/contracts";
import type { CloseProjects, Database } from "@touchstone/db";
import { type Clock, closeProjects, type ServedRoute } from "@touchstone/service-kit";
import { type AlertRuleStore, createAlertRuleStore } from "./alerts/alert-rule-store.ts";
import { alertRuleRoutes } from "./alerts/routes.ts";
import { createEvaluatorEventReader } from "./custom-evaluators/evaluator-event-reader.ts";
import { createEvaluatorStore } from "./custom-evaluators/evaluator-store.ts";
import { type CustomEvaluatorRouteDependencies, customEvaluatorRoutes } from "./custom-evaluators/routes.ts";
import { type AgreementReader, createAgreementReader } from "./dashboards/agreement-reader.ts";
import { createModelReader, type ModelReader } from "./dashboards/model-reader.ts";
import { dashboardRoutes } from "./dashboards/routes.ts";
import { createTrafficReader, type TrafficReader } from "./dashboards/traffic-reader.ts";
import { createExportStore, type ExportStore } from "./export/exported-table-reader.ts";
import { exportRoutes } from "./export/routes.ts";
import type { FeedbackStore } from "./feedback/feedback-store.ts";
import { feedbackRoutes } from "./feedback/routes.ts";
import type { IngestClient } from "./ingest-client.ts";
import { type LiveJudgingRouteDependencies, liveJudgingRoutes } from "./live-scorers/routes.ts";
import { builtinPatterns } from "./patterns/builtin/builtins.ts";
import type { PatternMatcher } from "./patterns/matching/pattern-matcher.ts";
import { createPatternBook } from "./patterns/pattern-book.ts";
import { createPatternStore, type PatternStore } from "./patterns/pattern-store.ts";
import { patternRoutes } from "./patterns/routes.ts";
import { createProfileStore, type ProfileStore } from "./profiles/profile-store.ts";
import { profileRoutes } from "./profiles/routes.ts";
import { signalRoutes } from "./signals/routes.ts";
import { createSignalStore, type SignalStore } from "./signals/signal-store.ts";
import { topicRoutes } from "./topics/routes.ts";
import { createTopicMapReader, type TopicMapReader } from "./topics/topic-map-reader.ts";
import { createTopicReader, type TopicReader } from "./topics/topic-reader.ts";
import { createNewestTraces, type NewestTraces } from "./traces/seen-trace-reader.ts";
import { createDeliveryLog } from "./webhooks/delivery-log-store.ts";
import { type WebhookRouteDependencies, webhookRoutes } from "./webhooks/routes.ts";
import { createWebhookStore } from "./webhooks/webhook-store.ts";

export interface RouteDependencies
  extends LiveJudgingRouteDependencies,
    WebhookRouteDependencies,
    CustomEvaluatorRouteDependencies {
  database: Database;
  clock: Clock;
  ingest: IngestClient;
  patterns: PatternStore;
  matcher: PatternMatcher;
  newestTraces: NewestTraces;
  bus: Bus;
  profiles: ProfileStore;
  signals: SignalStore;
  feedback: FeedbackStore;
  topics: TopicReader;
  topicMaps: TopicMapReader;
  traffic: TrafficReader;
  models: ModelReader;
  agreement: AgreementReader;
  exports: ExportStore;
  alertRules: AlertRuleStore;
  closing: CloseProjects;
}

/** Every route of this service, with its dependencies. */
export function monitorRoutes(dependencies: RouteDependencies): ServedRoute[] {
  return [
    ...profileRoutes({ ...dependencies, builtinKeys: builtinPatterns.map(({ key }) => key) }),
    { route: internalRoutes.closeMonitorProjects, handle: closeProjects(dependencies.closing) },
    ...patternRoutes({ ...dependencies, book: createPatternBook(dependencies) }),
    ...signalRoutes(dependencies),
    ...feedbackRoutes(dependencies),
    ...dashboardRoutes(dependencies),
    ...liveJudgingRoutes(dependencies),
    ...customEvaluatorRoutes(dependencies),
    ...topicRoutes(dependencies),
    ...webhookRoutes(dependencies),
    ...alertRuleRoutes(dependencies),
    ...exportRoutes(dependencies),
  ];
}

/** The stores for requests, over connections that tenants share. */
export function openRequestStores(database: Database, clock: Clock, ingest: IngestClient) {
  return {
    database,
    patterns: createPatternStore(database),
    newestTraces: createNewestTraces(database),
    profiles: createProfileStore(database),
    signals: createSignalStore(database),
    traffic: createTrafficReader(database),
    models: createModelReader(database),
    agreement: createAgreementReader(database, ingest),
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
