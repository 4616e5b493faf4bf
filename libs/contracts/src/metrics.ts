import { busServices, type ServiceName, serviceNames } from "./bus/define.ts";

interface AnyMetric {
  /** Where the page of metrics lists it. */
  subject: MetricSubject;
  /** What a sample means, as one sentence. */
  help: string;
  /** What is measured or counted, in the plural. */
  unit: string;
  labels: readonly string[];
  /** The services that expose it. */
  services: readonly ServiceName[];
}

/** One family of metrics, as a scrape describes it. */
export type Metric = AnyMetric & ({ type: "counter" | "gauge" } | { type: "histogram"; buckets: readonly number[] });

/** The subjects of metrics, in the order of the page that lists them, with their headings. */
export const metricSubjects = {
  http: "Requests",
  ingest: "Ingest",
  runs: "Runs",
  judge: "Judge",
  monitor: "Monitor",
  bus: "Events between services",
  database: "Database connections",
  shares: "Fair shares",
  compute: "Computing threads",
  process: "Processes",
} as const;
export type MetricSubject = keyof typeof metricSubjects;

const storeServices = busServices.filter((name) => name !== "gateway");
const ofIngest = { subject: "ingest", labels: [], services: ["ingest"] } as const;
const requestSeconds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 60];

/** Every Prometheus metric. Names and labels are a contract with dashboards and alerts: add, never rename. */
export const metricFamilies = {
  service_http_requests_total: {
    subject: "http",
    type: "counter",
    help: "Requests answered.",
    unit: "requests",
    labels: ["service", "method", "route", "status"],
    services: serviceNames,
  },
  service_http_request_duration_seconds: {
    subject: "http",
    type: "histogram",
    help: "Time to answer a request: in a gateway from its first byte to the end of the answer, in a service from when it was read.",
    unit: "seconds",
    labels: ["service", "route", "status"],
    buckets: requestSeconds,
    services: serviceNames,
  },
  service_http_body_bytes: {
    subject: "http",
    type: "gauge",
    help: "Bytes of request bodies in memory, with what they were inflated to and decoded.",
    unit: "bytes",
    labels: ["service", "size"],
    services: serviceNames,
  },
  service_http_answer_bytes: {
    subject: "http",
    type: "gauge",
    help: "Bytes of answers over 64 KiB that are being made or sent.",
    unit: "bytes",
    labels: ["service"],
    services: serviceNames,
  },
  service_ingest_spans_total: {
    ...ofIngest,
    type: "counter",
    help: "Spans accepted: stored, or stored already.",
    unit: "spans",
  },
  service_ingest_spans_stored_total: {
    ...ofIngest,
    type: "counter",
    help: "Spans stored.",
    unit: "spans",
  },
  service_ingest_spans_deduped_total: {
    ...ofIngest,
    type: "counter",
    help: "Spans that were stored already.",
    unit: "spans",
  },
  service_ingest_spans_rejected_total: {
    ...ofIngest,
    type: "counter",
    help: "Spans refused with a 429; nothing of them was kept.",
    unit: "spans",
  },
  service_ingest_spans_dropped_total: {
    ...ofIngest,
    type: "counter",
    help: "Spans acknowledged and then lost; stays 0.",
    unit: "spans",
  },
  service_ingest_batches_total: {
    ...ofIngest,
    type: "counter",
    help: "Commits of spans.",
    unit: "commits",
  },
  service_ingest_queue_depth: {
    ...ofIngest,
    type: "gauge",
    help: "Spans admitted and not committed yet.",
    unit: "spans",
  },
  service_ingest_queue_max_depth: {
    ...ofIngest,
    type: "gauge",
    help: "The most spans that were in the queue at once since the process started.",
    unit: "spans",
  },
  service_ingest_commit_seconds: {
    ...ofIngest,
    type: "histogram",
    help: "Time to commit one batch of spans in PostgreSQL; spans wait in the queue meanwhile.",
    unit: "seconds",
    buckets: [0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
  },
  service_ingest_settling_delay_seconds: {
    ...ofIngest,
    type: "gauge",
    help: "How long the trace that is due first has waited to be announced as settled; -1 when it cannot be told.",
    unit: "seconds",
  },
  service_results_stored_total: {
    subject: "runs",
    type: "counter",
    help: "Results of runs stored, by status and reason of being skipped.",
    unit: "results",
    labels: ["status", "reason"],
    services: ["eval-runs"],
  },
  service_judge_calls_total: {
    subject: "judge",
    type: "counter",
    help: "Requests to an LLM provider; each retry counts.",
    unit: "requests",
    labels: ["provider", "operation", "outcome"],
    services: ["judge"],
  },
  service_judge_call_duration_seconds: {
    subject: "judge",
    type: "histogram",
    help: "Time of one request to an LLM provider.",
    unit: "seconds",
    labels: ["provider", "operation"],
    buckets: [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 40, 60],
    services: ["judge"],
  },
  service_judge_circuit_open: {
    subject: "judge",
    type: "gauge",
    help: "Whether calls to a provider are suspended because it kept failing, as of its last call: 1 or 0.",
    unit: "0 or 1",
    labels: ["provider"],
    services: ["judge"],
  },
  service_judge_verdicts_total: {
    subject: "judge",
    type: "counter",
    help: "Rubrics applied to a result; the reason is empty for those that were scored.",
    unit: "verdicts",
    labels: ["status", "reason"],
    services: ["judge"],
  },
  service_judge_verdict_duration_seconds: {
    subject: "judge",
    type: "histogram",
    help: "Time from accepting a result to the verdict of one rubric, with waiting and retries.",
    unit: "seconds",
    labels: ["status"],
    buckets: [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 40, 60, 120],
    services: ["judge"],
  },
  service_judge_verdict_lookups_total: {
    subject: "judge",
    type: "counter",
    help: "Searches for a stored verdict, by the verdict mode of the run; a hit asks no provider.",
    unit: "searches",
    labels: ["mode", "outcome"],
    services: ["judge"],
  },
  service_judge_verdicts_not_stored_total: {
    subject: "judge",
    type: "counter",
    help: "Scored verdicts that could not be stored: they count, but a replay asks the provider again.",
    unit: "verdicts",
    labels: [],
    services: ["judge"],
  },
  service_monitor_checks_settled_total: {
    subject: "monitor",
    type: "counter",
    help: "Live checks that ended, by kind and outcome.",
    unit: "checks",
    labels: ["kind", "outcome"],
    services: ["monitor"],
  },
  service_monitor_checks_due: {
    subject: "monitor",
    type: "gauge",
    help: "Live checks that wait to be carried out, at most 100000; -1 when it cannot be told.",
    unit: "checks",
    labels: [],
    services: ["monitor"],
  },
  service_monitor_verdict_exports_total: {
    subject: "monitor",
    type: "counter",
    help: "Verdicts that left the export, by outcome: sent, or dropped as rejected (one by one), refused (a whole batch) or expired.",
    unit: "verdicts",
    labels: ["outcome"],
    services: ["monitor"],
  },
  service_monitor_verdict_exports_pending: {
    subject: "monitor",
    type: "gauge",
    help: "Verdicts that wait to be exported, at most 100000; -1 when it cannot be told.",
    unit: "verdicts",
    labels: [],
    services: ["monitor"],
  },
  service_monitor_webhook_tries_total: {
    subject: "monitor",
    type: "counter",
    help: "Attempts to deliver a webhook message, by outcome: delivered, retry, failed, or gone (answered 410).",
    unit: "attempts",
    labels: ["outcome"],
    services: ["monitor"],
  },
  service_bus_dead_letters_total: {
    subject: "bus",
    type: "counter",
    help: "Events that were given up and kept as dead letters, by the durable consumer that could not process them.",
    unit: "events",
    labels: ["service", "durable"],
    services: storeServices,
  },
  service_outbox_events_waiting: {
    subject: "bus",
    type: "gauge",
    help: "Events in the outbox that are not published yet, at most 10000; -1 when it cannot be told.",
    unit: "events",
    labels: ["service"],
    services: storeServices,
  },
  service_outbox_oldest_event_age_seconds: {
    subject: "bus",
    type: "gauge",
    help: "How long the oldest unpublished event has waited in the outbox, as far as this process has seen it; -1 when it cannot be told.",
    unit: "seconds",
    labels: ["service"],
    services: storeServices,
  },
  service_database_connections_in_use: {
    subject: "database",
    type: "gauge",
    help: "Connections to PostgreSQL that are in use, by role.",
    unit: "connections",
    labels: ["service", "role"],
    services: storeServices,
  },
  service_database_waiting: {
    subject: "database",
    type: "gauge",
    help: "Statements and transactions that wait for a connection to PostgreSQL, by role; each gives up after 2 s.",
    unit: "transactions",
    labels: ["service", "role"],
    services: storeServices,
  },
  service_share_total: {
    subject: "shares",
    type: "gauge",
    help: "What all tenants together may hold of a resource.",
    unit: "units",
    labels: ["service", "resource"],
    services: serviceNames,
  },
  service_share_held: {
    subject: "shares",
    type: "gauge",
    help: "What all tenants together hold of a resource.",
    unit: "units",
    labels: ["service", "resource"],
    services: serviceNames,
  },
  service_share_held_most: {
    subject: "shares",
    type: "gauge",
    help: "What the organization that holds most of a resource holds.",
    unit: "units",
    labels: ["service", "resource"],
    services: serviceNames,
  },
  service_share_refused_total: {
    subject: "shares",
    type: "counter",
    help: "Requests refused, by what was used up: the share of the project, of the organization, or the total.",
    unit: "requests",
    labels: ["service", "resource", "unit"],
    services: serviceNames,
  },
  service_share_taken_back_total: {
    subject: "shares",
    type: "counter",
    help: "Streams and arriving bodies ended to make room for a tenant that held less.",
    unit: "streams and bodies",
    labels: ["service", "resource"],
    services: serviceNames,
  },
  service_compute_waiting: {
    subject: "compute",
    type: "gauge",
    help: "Computations that wait for a thread.",
    unit: "computations",
    labels: ["pool"],
    services: ["ingest", "eval-runs", "monitor"],
  },
  service_compute_threads: {
    subject: "compute",
    type: "gauge",
    help: "Threads that compute or wait for work.",
    unit: "threads",
    labels: ["pool"],
    services: ["ingest", "eval-runs", "monitor"],
  },
  service_compute_ended_total: {
    subject: "compute",
    type: "counter",
    help: "Computations that ended, by task and outcome.",
    unit: "computations",
    labels: ["pool", "task", "outcome"],
    services: ["ingest", "eval-runs", "monitor"],
  },
  service_compute_seconds: {
    subject: "compute",
    type: "histogram",
    help: "How long a computation occupied a thread, by task.",
    unit: "seconds",
    labels: ["pool", "task"],
    buckets: [0.001, 0.005, 0.02, 0.1, 0.5, 2, 10],
    services: ["ingest", "eval-runs", "monitor"],
  },
  service_event_loop_stall_seconds: {
    subject: "process",
    type: "histogram",
    help: "Longest time within each second that the event loop did nothing else.",
    unit: "seconds",
    labels: ["service"],
    buckets: [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60],
    services: serviceNames,
  },
  service_process_resident_memory_bytes: {
    subject: "process",
    type: "gauge",
    help: "Memory that the process of the gateway occupies.",
    unit: "bytes",
    labels: [],
    services: ["gateway"],
  },
  service_process_uptime_seconds: {
    subject: "process",
    type: "gauge",
    help: "Time since the process of the gateway started.",
    unit: "seconds",
    labels: [],
    services: ["gateway"],
  },
  service_up: {
    subject: "process",
    type: "gauge",
    help: "Whether a replica answered when the gateway asked it: 1 or 0.",
    unit: "0 or 1",
    labels: ["service", "replica"],
    services: ["gateway"],
  },
} as const satisfies Record<`service_${string}`, Metric>;

/** The names of the metrics, or of those of a type. */
export type MetricName<Type extends Metric["type"] = Metric["type"]> = {
  [Name in keyof typeof metricFamilies]: (typeof metricFamilies)[Name]["type"] extends Type ? Name : never;
}[keyof typeof metricFamilies];

/** The names of the labels of a metric. */
export type MetricLabel<Name extends MetricName> = (typeof metricFamilies)[Name]["labels"][number];
