import { type Metric, type MetricSubject, metricFamilies, metricSubjects, serviceNames } from "@touchstone/contracts";
import { markdownTable } from "./markdown-table.ts";

/** `docs/operating/metrics.md`: every metric, by subject. */
export function renderMetricsPage(): string {
  const sections = Object.entries(metricSubjects).map(
    ([subject, heading]) =>
      `## ${heading}\n\n${markdownTable(["Name", "Type", "Labels", "Unit", "Meaning", "Exposed by"], rowsOf(subject as MetricSubject))}`,
  );
  return `# Metrics

Every service answers \`GET /metrics\` on its HTTP port with Prometheus text. A gateway is public, so set
\`SERVICE_METRICS_TOKEN\`: a scrape of a gateway then needs \`Authorization: Bearer <token>\`, and otherwise gets 401. In
multi-tenant mode it gets 401 until the token is set. The other services need no token; keep their ports private.

A gateway also shows the metrics of auth, ingest, eval-runs, monitor and dropin, one sample for each replica, with the label \`replica\`.
Scrape one gateway and the judge, or every service by itself, not both: otherwise each sample is counted twice. With
\`npm start\` all services run in one process, and its \`/metrics\` shows the metrics of all of them.

The Helm chart installs alerts and a Grafana dashboard for these metrics. Without Kubernetes, name
[deploy/prometheus-alerts.yaml](../../deploy/prometheus-alerts.yaml) in \`rule_files\` of Prometheus, and import
[touchstone-overview.json](../../deploy/helm/touchstone/files/dashboards/touchstone-overview.json) in Grafana. Each alert says what to do.

Backups and disks of a standalone have metrics below. A PostgreSQL of your own is on a disk that no service sees: alert on it with
the metrics of its operator or of node_exporter, and on the age of its backups with those of the tool that makes them.

Names and labels stay as they are. No metric contains a project, a key or the content of a span. A histogram has the samples
\`_bucket\`, \`_sum\` and \`_count\`.

${sections.join("\n\n")}
`;
}

function rowsOf(subject: MetricSubject): string[][] {
  return Object.entries<Metric>(metricFamilies)
    .filter(([, metric]) => metric.subject === subject)
    .map(([name, metric]) => [
      `\`${name}\``,
      metric.type,
      metric.labels.map((label) => `\`${label}\``).join(", "),
      metric.unit,
      metric.help + (metric.type === "histogram" ? ` Buckets: ${metric.buckets.join(", ")}.` : ""),
      exposers(metric.services),
    ]);
}

function exposers(services: Metric["services"]): string {
  if (services.length === 0) return "standalone";
  return services.length === serviceNames.length ? "all services" : services.join(", ");
}
