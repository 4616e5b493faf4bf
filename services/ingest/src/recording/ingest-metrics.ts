import { createCounter, createGauge, createHistogram, type Metrics } from "@touchstone/service-kit";
import type { StoredSpan } from "../model/read-span.ts";

/** The metrics of ingest (completions 1.6). No metric contains a project, key or content. */
export interface IngestMetrics {
  /** Counts spans acknowledged as committed. */
  stored(spans: readonly StoredSpan[]): void;
  /** Counts spans rejected with a 429. */
  rejected(count: number): void;
  /** Counts a commit, and the time it took. */
  committed(ms: number): void;
}

/** Registers the metrics; `depth` is read on each scrape, and `queueRowsMax` is the limit of one project. */
export function createIngestMetrics(
  registry: Metrics,
  depth: () => { rows: number; rowsMax: number },
  queueRowsMax: number,
): IngestMetrics {
  const accepted = createCounter(registry, "service_ingest_spans_total");
  const stored = createCounter(registry, "service_ingest_spans_stored_total");
  const deduped = createCounter(registry, "service_ingest_spans_deduped_total");
  const rejected = createCounter(registry, "service_ingest_spans_rejected_total");
  const commits = createHistogram(registry, "service_ingest_commit_seconds");
  const batches = createCounter(registry, "service_ingest_batches_total");
  // Always zero, because acknowledged spans are never lost; dashboards expect the counter.
  createCounter(registry, "service_ingest_spans_dropped_total");
  createGauge(registry, "service_ingest_queue_depth", (gauge) => gauge.set(depth().rows));
  createGauge(registry, "service_ingest_queue_max_depth", (gauge) => gauge.set(depth().rowsMax));
  createGauge(registry, "service_ingest_queue_limit").set(queueRowsMax);
  return {
    stored(spans) {
      const known = spans.filter((span) => span.deduped).length;
      accepted.inc(spans.length);
      deduped.inc(known);
      stored.inc(spans.length - known);
    },
    rejected: (count) => rejected.inc(count),
    committed(ms) {
      batches.inc();
      commits.observe(ms / 1_000);
    },
  };
}
