import type { Secret } from "@touchstone/contracts";
import type { Clock, InternalClient } from "@touchstone/service-kit";
import type { Answerer } from "../http/edge.ts";
import type { CountKeeper } from "../ingest-health/count-keeper.ts";
import { createMetricsAccess } from "../metrics/metrics-access.ts";
import { createAdminAccess, createAdminAudit, createAdminOverview, createAdminSystem } from "./admin.ts";
import type { AskJudge } from "./ask-judge.ts";
import { createExportIndex } from "./export-index.ts";
import { createIngestHealth } from "./ingest-health.ts";
import { createJudgeUsage } from "./judge-usage.ts";
import { createOwnAnswerer, type OwnRoutesOptions } from "./own-routes.ts";
import { createProjectSettings } from "./project-settings.ts";
import { createProjectUsage } from "./project-usage.ts";
import { createVerdictReader } from "./read-verdict.ts";

export interface OwnAnswersConfig {
  metricsToken: Secret | null;
  adminToken: Secret | null;
  isMultiTenant: boolean;
  defaultJudgeModel: string;
}

export interface OwnAnswersDependencies extends Pick<OwnRoutesOptions, "checkReadiness" | "metrics" | "openApi"> {
  clients: Readonly<Record<"auth" | "ingest" | "eval-runs" | "monitor", InternalClient>>;
  askJudge: AskJudge;
  keeper: CountKeeper;
  clock: Clock;
}

/** Connects the gateway's own routes with what they read. */
export function createOwnAnswers(
  { metricsToken, adminToken, isMultiTenant, defaultJudgeModel }: OwnAnswersConfig,
  { checkReadiness, metrics, openApi, clients, askJudge, keeper, clock }: OwnAnswersDependencies,
): Answerer {
  const judgeUsage = createJudgeUsage(askJudge);
  return createOwnAnswerer({
    checkReadiness,
    metrics,
    refuseMetrics: createMetricsAccess({ token: metricsToken, isMultiTenant }),
    openApi,
    readExportIndex: createExportIndex(clients),
    requireAdmin: createAdminAccess(adminToken),
    readAdminOverview: createAdminOverview({ clients, judgeUsage }),
    readAdminSystem: createAdminSystem({ ingest: clients.ingest, metrics }),
    readAdminAudit: createAdminAudit(clients),
    readProjectSettings: createProjectSettings({ clients, platformModelDefault: defaultJudgeModel }),
    readVerdict: createVerdictReader(askJudge),
    readIngestHealth: createIngestHealth({ ingest: clients.ingest, keeper, clock }),
    readProjectUsage: createProjectUsage({ clients, judgeUsage, isMultiTenant }),
  });
}
