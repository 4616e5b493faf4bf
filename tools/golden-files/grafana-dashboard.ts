import { type MetricLabel, type MetricName, metricFamilies } from "@touchstone/contracts";
import { readableJson } from "./readable-json.ts";

/** Grafana's name of a unit. */
type Unit = "reqps" | "ops" | "s" | "bytes" | "percentunit" | "short";

interface Panel {
  title: string;
  unit: Unit;
  /** Each query with the name of its series. */
  queries: readonly (readonly [query: string, legend: string])[];
}

/** Matchers of label values, such as `=~"5.."`. */
type Where<Name extends MetricName> = Partial<Record<MetricLabel<Name>, string>>;

function select<Name extends MetricName>(name: Name, where: Where<Name>, sample = ""): string {
  const labels: readonly string[] = metricFamilies[name].labels;
  const matchers = [
    'namespace=~"$namespace"',
    ...(labels.includes("service") && !("service" in where) ? ['service=~"$service"'] : []),
    ...Object.entries(where).map(([label, matcher]) => `${label}${matcher}`),
  ];
  return `${name}${sample}{${matchers.join(", ")}}`;
}

function grouped(aggregation: "sum" | "max", by: readonly string[], query: string): string {
  return by.length === 0 ? `${aggregation}(${query})` : `${aggregation} by (${by.join(", ")}) (${query})`;
}

function rate<Name extends MetricName<"counter">>(
  name: Name,
  by: readonly MetricLabel<Name>[] = [],
  where: Where<Name> = {},
): string {
  return grouped("sum", by, `rate(${select(name, where)}[$__rate_interval])`);
}

function increase<Name extends MetricName<"counter">>(name: Name, by: readonly MetricLabel<Name>[]): string {
  return grouped("sum", by, `increase(${select(name, {})}[$__rate_interval])`);
}

function quantile<Name extends MetricName<"histogram">>(
  share: number,
  name: Name,
  by: readonly MetricLabel<Name>[] = [],
): string {
  const buckets = grouped("sum", ["le", ...by], `rate(${select(name, {}, "_bucket")}[$__rate_interval])`);
  return `histogram_quantile(${share}, ${buckets})`;
}

/** The highest of all processes. */
function highest<Name extends MetricName<"gauge">>(name: Name, by: readonly MetricLabel<Name>[] = []): string {
  return grouped("max", by, select(name, {}));
}

function total<Name extends MetricName<"gauge">>(name: Name, by: readonly MetricLabel<Name>[] = []): string {
  return grouped("sum", by, select(name, {}));
}

/** The panels by row, from what a user notices to its causes. */
const rows: Readonly<Record<string, readonly Panel[]>> = {
  Requests: [
    {
      title: "Requests by service",
      unit: "reqps",
      queries: [[rate("service_http_requests_total", ["service"]), "{{service}}"]],
    },
    {
      title: "Requests that failed (5xx), by service",
      unit: "reqps",
      queries: [[rate("service_http_requests_total", ["service"], { status: '=~"5.."' }), "{{service}}"]],
    },
    {
      title: "Requests refused with 429, by route",
      unit: "reqps",
      queries: [
        [rate("service_http_requests_total", ["route"], { service: '="gateway"', status: '="429"' }), "{{route}}"],
      ],
    },
    {
      title: "Refused by fair shares",
      unit: "ops",
      queries: [
        [
          rate("service_share_refused_total", ["service", "resource", "unit"]),
          "{{service}} {{resource}} of the {{unit}}",
        ],
      ],
    },
    {
      title: "Latency by service, median",
      unit: "s",
      queries: [[quantile(0.5, "service_http_request_duration_seconds", ["service"]), "{{service}}"]],
    },
    {
      title: "Latency by service, 99th percentile",
      unit: "s",
      queries: [[quantile(0.99, "service_http_request_duration_seconds", ["service"]), "{{service}}"]],
    },
  ],
  Ingest: [
    {
      title: "Spans",
      unit: "ops",
      queries: [
        [rate("service_ingest_spans_stored_total"), "stored"],
        [rate("service_ingest_spans_deduped_total"), "stored already"],
        [rate("service_ingest_spans_rejected_total"), "refused"],
      ],
    },
    {
      title: "Spans in the queue",
      unit: "short",
      queries: [[highest("service_ingest_queue_depth"), "fullest process"]],
    },
    {
      title: "Time of a commit",
      unit: "s",
      queries: [
        [quantile(0.5, "service_ingest_commit_seconds"), "median"],
        [quantile(0.99, "service_ingest_commit_seconds"), "99th percentile"],
      ],
    },
    {
      title: "Delay of settling traces",
      unit: "s",
      queries: [[highest("service_ingest_settling_delay_seconds"), "oldest due trace"]],
    },
    {
      title: "Time of the hourly removal of old traces",
      unit: "s",
      queries: [[highest("service_ingest_retention_sweep_seconds"), "last or present removal"]],
    },
  ],
  "Events and database": [
    {
      title: "Events waiting in the outbox",
      unit: "short",
      queries: [[highest("service_outbox_events_waiting", ["service"]), "{{service}}"]],
    },
    {
      title: "Age of the oldest event in the outbox",
      unit: "s",
      queries: [[highest("service_outbox_oldest_event_age_seconds", ["service"]), "{{service}}"]],
    },
    {
      title: "Events waiting for a durable consumer",
      unit: "short",
      queries: [[highest("service_bus_consumer_pending", ["durable"]), "{{durable}}"]],
    },
    {
      title: "Events in progress or between two tries",
      unit: "short",
      queries: [[highest("service_bus_consumer_ack_pending", ["durable"]), "{{durable}}"]],
    },
    {
      title: "Dead letters",
      unit: "short",
      queries: [[increase("service_bus_dead_letters_total", ["service", "durable"]), "{{durable}}"]],
    },
    {
      title: "Database connections in use",
      unit: "short",
      queries: [[total("service_database_connections_in_use", ["service", "role"]), "{{service}} {{role}}"]],
    },
    {
      title: "Waiting for a database connection",
      unit: "short",
      queries: [[total("service_database_waiting", ["service", "role"]), "{{service}} {{role}}"]],
    },
  ],
  Evaluation: [
    {
      title: "Judge calls by outcome",
      unit: "reqps",
      queries: [[rate("service_judge_calls_total", ["provider", "outcome"]), "{{provider}} {{outcome}}"]],
    },
    {
      title: "Latency of judge calls, 99th percentile",
      unit: "s",
      queries: [[quantile(0.99, "service_judge_call_duration_seconds", ["provider"]), "{{provider}}"]],
    },
    { title: "Judge calls that wait", unit: "short", queries: [[total("service_judge_calls_waiting"), "waiting"]] },
    {
      title: "Suspended providers",
      unit: "short",
      queries: [[highest("service_judge_circuit_open", ["provider"]), "{{provider}}"]],
    },
    {
      title: "Verdicts by status",
      unit: "ops",
      queries: [[rate("service_judge_verdicts_total", ["status", "reason"]), "{{status}} {{reason}}"]],
    },
    {
      title: "Results of runs stored",
      unit: "ops",
      queries: [[rate("service_results_stored_total", ["status", "reason"]), "{{status}} {{reason}}"]],
    },
    { title: "Live checks that wait", unit: "short", queries: [[highest("service_monitor_checks_due"), "due"]] },
    {
      title: "Live checks that ended",
      unit: "ops",
      queries: [[rate("service_monitor_checks_settled_total", ["kind", "outcome"]), "{{kind}} {{outcome}}"]],
    },
    {
      title: "Attempts to deliver webhooks",
      unit: "ops",
      queries: [[rate("service_monitor_webhook_tries_total", ["outcome"]), "{{outcome}}"]],
    },
  ],
  "Backups and disks": [
    { title: "Age of the last backup", unit: "s", queries: [[highest("service_backup_age_seconds"), "age"]] },
    {
      title: "Archive of the log",
      unit: "short",
      queries: [
        [highest("service_backup_log_archived"), "archived beside the backups"],
        [highest("service_database_archive_failing"), "failing"],
      ],
    },
    {
      title: "Free space of disks",
      unit: "percentunit",
      queries: [
        [
          `min by (disk) (${select("service_disk_free_bytes", {})} / ${select("service_disk_size_bytes", {})})`,
          "{{disk}}",
        ],
      ],
    },
  ],
  Processes: [
    {
      title: "Replicas that answer the gateway",
      unit: "short",
      queries: [[grouped("max", ["service", "replica"], select("service_up", {})), "{{service}} {{replica}}"]],
    },
    {
      title: "Longest block of the event loop, 99th percentile",
      unit: "s",
      queries: [[quantile(0.99, "service_event_loop_stall_seconds", ["service"]), "{{service}}"]],
    },
    {
      title: "Memory of the gateway",
      unit: "bytes",
      queries: [[highest("service_process_resident_memory_bytes"), "largest process"]],
    },
    {
      title: "Memory for bodies and answers",
      unit: "bytes",
      queries: [
        [total("service_http_body_bytes", ["service"]), "{{service}} bodies"],
        [total("service_http_answer_bytes", ["service"]), "{{service}} answers"],
      ],
    },
    {
      title: "Computations that wait for a thread",
      unit: "short",
      queries: [[total("service_compute_waiting", ["pool"]), "{{pool}}"]],
    },
  ],
};

// biome-ignore lint/suspicious/noTemplateCurlyInString: Grafana inserts the variable
const datasource = { type: "prometheus", uid: "${datasource}" };
/** Of Grafana's grid of 24 columns. */
const panelWidth = 8;
const panelHeight = 8;

/** A dashboard that Grafana imports: one row of panels for each subject. */
export function renderGrafanaDashboard(): string {
  const panels: object[] = [];
  let y = 0;
  for (const [title, members] of Object.entries(rows)) {
    panels.push({
      id: panels.length + 1,
      type: "row",
      title,
      collapsed: false,
      gridPos: { h: 1, w: 24, x: 0, y },
      panels: [],
    });
    y += 1;
    for (const [index, panel] of members.entries()) {
      const x = (index * panelWidth) % 24;
      const gridPos = { h: panelHeight, w: panelWidth, x, y: y + Math.floor((index * panelWidth) / 24) * panelHeight };
      panels.push(showPanel(panel, { id: panels.length + 1, gridPos }));
    }
    y += Math.ceil((members.length * panelWidth) / 24) * panelHeight;
  }
  return readableJson({
    uid: "touchstone-overview",
    title: "Touchstone overview",
    tags: ["touchstone"],
    schemaVersion: 39,
    version: 1,
    editable: true,
    graphTooltip: 1,
    refresh: "30s",
    time: { from: "now-3h", to: "now" },
    timezone: "browser",
    annotations: { list: [] },
    templating: {
      list: [
        { name: "datasource", label: "Data source", type: "datasource", query: "prometheus", hide: 0 },
        labelVariable("namespace", "Namespace", "service_http_requests_total"),
        labelVariable("service", "Service", 'service_http_requests_total{namespace=~"$namespace"}'),
      ],
    },
    panels,
  });
}

function showPanel({ title, unit, queries }: Panel, place: { id: number; gridPos: object }): object {
  return {
    ...place,
    type: "timeseries",
    title,
    datasource,
    fieldConfig: { defaults: { unit, custom: { lineWidth: 1, fillOpacity: 10 } }, overrides: [] },
    options: { legend: { displayMode: "list", placement: "bottom" }, tooltip: { mode: "multi", sort: "desc" } },
    targets: queries.map(([expr, legendFormat], index) => ({
      refId: String.fromCharCode("A".charCodeAt(0) + index),
      datasource,
      expr,
      legendFormat,
    })),
  };
}

/** `All` also matches samples without the label: outside of Kubernetes there is no namespace. */
function labelVariable(name: string, label: string, of: string): object {
  const query = `label_values(${of}, ${name})`;
  return {
    ...{ name, label, type: "query", datasource, definition: query, query: { query, refId: name } },
    ...{ refresh: 2, sort: 1, multi: true, includeAll: true, allValue: ".*", hide: 0 },
    current: { text: ["All"], value: ["$__all"] },
  };
}
