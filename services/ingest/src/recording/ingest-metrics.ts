import type { Metrics } from "@touchstone/service-kit";
import { Counter, Gauge } from "prom-client";
import type { StoredSpan } from "../model/read-span.ts";

/** The metrics of ingest (completions 1.6). No metric contains a project, key or content. */
export interface IngestMetrics {
  /** Counts spans acknowledged as committed. */
  stored(spans: readonly StoredSpan[]): void;
  /** Counts spans rejected with a 429. */
  rejected(count: number): void;
  committed(): void;
}

/** Registers the metrics; `depth` is read on each scrape. */
export function createIngestMetrics(registry: Metrics, depth: () => { rows: number; rowsMax: number }): IngestMetrics {
  const registers = [registry];
  const counter = (name: string, help: string): Counter => new Counter({ name, help, registers });
  const accepted = counter("service_ingest_spans_total", "Spans accepted: stored, or known already.");
  const stored = counter("service_ingest_spans_stored_total", "Spans stored.");
  const deduped = counter("service_ingest_spans_deduped_total", "Spans that were stored already.");
  const rejected = counter(
    "service_ingest_spans_rejected_total",
    "Spans refused with a 429; nothing of them was kept.",
  );
  const batches = counter("service_ingest_batches_total", "Commits of spans.");
  // Always zero, because acknowledged spans are never lost; dashboards expect the counter.
  counter("service_ingest_spans_dropped_total", "Spans acknowledged and then lost; stays 0.");
  new Gauge({
    name: "service_ingest_queue_depth",
    help: "Spans admitted and not committed yet.",
    registers,
    collect() {
      this.set(depth().rows);
    },
  });
  new Gauge({
    name: "service_ingest_queue_max_depth",
    help: "The most spans that were ever in the queue at once.",
    registers,
    collect() {
      this.set(depth().rowsMax);
    },
  });
  return {
    stored(spans) {
      const known = spans.filter((span) => span.deduped).length;
      accepted.inc(spans.length);
      deduped.inc(known);
      stored.inc(spans.length - known);
    },
    rejected: (count) => rejected.inc(count),
    committed: () => batches.inc(),
  };
}
