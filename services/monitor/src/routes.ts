import type { Bus } from "@touchstone/bus";
import { internalRoutes, routes } from "@touchstone/contracts";
import type { CloseProjects, Database } from "@touchstone/db";
import { type Clock, closeProjects, type ServedRoute } from "@touchstone/service-kit";
import type { AlertRuleStore } from "./alerts/alert-rule-store.ts";
import { alertRuleRoutes } from "./alerts/routes.ts";
import { type CustomEvaluatorRouteDependencies, customEvaluatorRoutes } from "./custom-evaluators/routes.ts";
import type { AgreementReader } from "./dashboards/agreement-reader.ts";
import type { ModelReader } from "./dashboards/model-reader.ts";
import { dashboardRoutes } from "./dashboards/routes.ts";
import type { TrafficReader } from "./dashboards/traffic-reader.ts";
import type { ExportStore } from "./export/export-store.ts";
import { exportRoutes } from "./export/routes.ts";
import type { FeedbackStore } from "./feedback/feedback-store.ts";
import { feedbackRoutes } from "./feedback/routes.ts";
import { listAgents } from "./http/agents/list-agents.ts";
import { listTrackedAgents } from "./http/agents/list-tracked-agents.ts";
import { setTrackedAgent } from "./http/agents/set-tracked-agent.ts";
import { getProfile } from "./http/profiles/get-profile.ts";
import { setProfile } from "./http/profiles/set-profile.ts";
import { readMonitoringDefaults } from "./http/settings/read-monitoring-defaults.ts";
import { setMonitoringDefaults } from "./http/settings/set-monitoring-defaults.ts";
import { readTopicMap } from "./http/topics/read-topic-map.ts";
import { readTopics } from "./http/topics/read-topics.ts";
import { readLiveUsage } from "./http/usage/read-live-usage.ts";
import type { IngestClient } from "./ingest-client.ts";
import type { LiveBudget } from "./judging/live-budget.ts";
import { type LiveJudgingRouteDependencies, liveJudgingRoutes } from "./live-scorers/routes.ts";
import type { PatternMatcher } from "./patterns/matching/pattern-matcher.ts";
import { createPatternBook } from "./patterns/pattern-book.ts";
import type { PatternStore } from "./patterns/pattern-store.ts";
import { patternRoutes } from "./patterns/routes.ts";
import type { ProfileStore } from "./profiles/profile-store.ts";
import { signalRoutes } from "./signals/routes.ts";
import type { SignalStore } from "./signals/signal-store.ts";
import type { TopicMapReader } from "./topics/topic-map-reader.ts";
import type { TopicReader } from "./topics/topic-reader.ts";
import type { NewestTraces } from "./traces/newest-traces.ts";
import { type WebhookRouteDependencies, webhookRoutes } from "./webhooks/routes.ts";

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
  budget: Pick<LiveBudget, "readToday">;
  /** Null: unlimited. */
  liveCallsPerDay: number | null;
}

/** Every route this service answers, with what each one needs. */
export function monitorRoutes(dependencies: RouteDependencies): ServedRoute[] {
  return [
    { route: routes.listAgents, handle: listAgents(dependencies) },
    { route: routes.listTrackedAgents, handle: listTrackedAgents(dependencies) },
    { route: routes.setTrackedAgent, handle: setTrackedAgent(dependencies) },
    { route: routes.getProfile, handle: getProfile(dependencies) },
    { route: routes.setProfile, handle: setProfile(dependencies) },
    { route: routes.setMonitoringDefaults, handle: setMonitoringDefaults(dependencies) },
    { route: internalRoutes.readMonitoringDefaults, handle: readMonitoringDefaults(dependencies) },
    { route: internalRoutes.closeMonitorProjects, handle: closeProjects(dependencies.closing) },
    { route: internalRoutes.readLiveUsage, handle: readLiveUsage(dependencies) },
    ...patternRoutes({ ...dependencies, book: createPatternBook(dependencies) }),
    ...signalRoutes(dependencies),
    ...feedbackRoutes(dependencies),
    ...dashboardRoutes(dependencies),
    ...liveJudgingRoutes(dependencies),
    ...customEvaluatorRoutes(dependencies),
    { route: routes.readTopics, handle: readTopics(dependencies) },
    { route: routes.readTopicMap, handle: readTopicMap(dependencies) },
    ...webhookRoutes(dependencies),
    ...alertRuleRoutes(dependencies),
    ...exportRoutes(dependencies),
  ];
}
