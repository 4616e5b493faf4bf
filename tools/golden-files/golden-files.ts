import {
  busMessages,
  describeBus,
  describeOpenApi,
  describeServiceGraph,
  internalRoutes,
  routes,
} from "@touchstone/contracts";
import { renderDashboardTypes, renderSdkTypes } from "./client-types.ts";
import { renderDashboardAccess } from "./dashboard-access.ts";
import { renderErrorsPage } from "./errors-page.ts";
import { renderGrafanaDashboard } from "./grafana-dashboard.ts";
import { describeChartSettings, describeChartValues, renderPrometheusAlerts } from "./helm-chart.ts";
import { renderLimitsPage } from "./limits-page.ts";
import { renderMetricsPage } from "./metrics-page.ts";
import { clusterPlace, composePlace, renderNatsChartValues, renderNatsConf, secureClusterPlace } from "./nats-conf.ts";
import { readableJson } from "./readable-json.ts";
import { findSettingReaders } from "./setting-readers.ts";
import { renderSettingsPage } from "./settings-page.ts";

/** A file that is generated from the contracts and committed, so that a review shows the effects of a change. */
export interface GoldenFile {
  /** From the root of the repository. */
  path: string;
  render(): string | Promise<string>;
}

/** Every generated file. `pnpm generate` writes them, `pnpm check:golden` compares. */
export const goldenFiles: readonly GoldenFile[] = [
  {
    path: "libs/contracts/golden/openapi.v1.json",
    render: () => readableJson(describeOpenApi(Object.values(routes))),
  },
  { path: "libs/contracts/golden/bus.v1.json", render: () => readableJson(describeBus(busMessages)) },
  {
    path: "libs/contracts/golden/service-graph.txt",
    render: () =>
      describeServiceGraph({
        routes: Object.values(routes),
        internalRoutes: Object.values(internalRoutes),
        busMessages,
      }),
  },
  { path: "apps/dashboard/src/api/schema.gen.d.ts", render: renderDashboardTypes },
  { path: "apps/dashboard/src/api/access.gen.ts", render: renderDashboardAccess },
  { path: "packages/sdk/src/schema.gen.ts", render: renderSdkTypes },
  { path: "deploy/nats.conf", render: () => renderNatsConf(composePlace) },
  { path: "deploy/nats-cluster.conf", render: () => renderNatsConf(clusterPlace) },
  { path: "deploy/nats-cluster-tls.conf", render: () => renderNatsConf(secureClusterPlace) },
  { path: "deploy/helm/touchstone/examples/nats-values.yaml", render: renderNatsChartValues },
  {
    path: "deploy/helm/touchstone/files/settings.json",
    render: async () => readableJson(describeChartSettings(await findSettingReaders())),
  },
  { path: "deploy/helm/touchstone/values.schema.json", render: () => readableJson(describeChartValues()) },
  { path: "deploy/helm/touchstone/files/dashboards/touchstone-overview.json", render: renderGrafanaDashboard },
  { path: "deploy/prometheus-alerts.yaml", render: renderPrometheusAlerts },
  { path: "docs/operating/settings.md", render: async () => renderSettingsPage(await findSettingReaders()) },
  { path: "docs/operating/errors.md", render: renderErrorsPage },
  { path: "docs/operating/limits.md", render: renderLimitsPage },
  { path: "docs/operating/metrics.md", render: renderMetricsPage },
];
