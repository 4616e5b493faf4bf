import type { MetricFamilies } from "./metric.ts";

const ofIngest = { subject: "ingest", labels: [], services: ["ingest"] } as const;

/** How spans are stored. */
export const recordingMetrics = {
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
  service_ingest_queue_limit: {
    ...ofIngest,
    type: "gauge",
    help: "The spans of one project that the queue holds: SERVICE_INGEST_QUEUE_MAX.",
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
    help: "How long the trace that is due first has waited to be announced as settled; -1 when it is unknown.",
    unit: "seconds",
  },
  service_ingest_retention_sweep_seconds: {
    ...ofIngest,
    type: "gauge",
    help: "How long the last hourly removal of old traces took, or how long the present one has taken if that is longer; -1 in replicas that do not remove.",
    unit: "seconds",
  },
} as const satisfies MetricFamilies;
