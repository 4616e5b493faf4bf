import type { Metrics } from "@touchstone/service-kit";
import { Counter, Gauge } from "prom-client";
import type { CheckKind } from "./check.ts";
import type { CheckStore, Ending } from "./check-store.ts";

/** Counts the outcomes of checks, and reports the number of due ones. */
export function countChecks(
  metrics: Metrics,
  store: Pick<CheckStore, "countDue">,
): { onSettled(kind: CheckKind, outcome: Ending["outcome"]): void } {
  const settled = new Counter({
    name: "service_monitor_checks_settled_total",
    help: "Live checks that came to an end, by kind and outcome.",
    labelNames: ["kind", "outcome"],
    registers: [metrics],
  });
  new Gauge({
    name: "service_monitor_checks_due",
    help: "Live checks that wait to be carried out, at most 100000; -1 when it cannot be told.",
    registers: [metrics],
    async collect() {
      this.set(await store.countDue().catch(() => -1));
    },
  });
  return { onSettled: (kind, outcome) => settled.inc({ kind, outcome }) };
}
