import type { Metrics } from "@touchstone/service-kit";
import { Counter, Gauge } from "prom-client";
import type { ExportEnding } from "./export-worker.ts";
import type { VerdictExportStore } from "./verdict-export-store.ts";

/** Counts the outcomes of exported verdicts, and reports the length of the queue. */
export function countExports(
  metrics: Metrics,
  store: Pick<VerdictExportStore, "countPending">,
): { onEnded(ending: ExportEnding | "expired", count: number): void } {
  const ended = new Counter({
    name: "service_monitor_verdict_exports_total",
    help: "Verdicts that left the export, by outcome: sent, or dropped as rejected (one by one), refused (a whole batch) or expired.",
    labelNames: ["outcome"],
    registers: [metrics],
  });
  new Gauge({
    name: "service_monitor_verdict_exports_pending",
    help: "Verdicts that wait to be exported, at most 100000; -1 when it cannot be told.",
    registers: [metrics],
    async collect() {
      this.set(await store.countPending().catch(() => -1));
    },
  });
  return { onEnded: (outcome, count) => ended.inc({ outcome }, count) };
}
