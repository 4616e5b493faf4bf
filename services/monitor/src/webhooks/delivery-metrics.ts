import type { Metrics } from "@touchstone/service-kit";
import { Counter } from "prom-client";
import type { DeliveryEnding } from "./delivery-store.ts";

/** Counts what comes of tries to deliver. */
export function countDeliveries(metrics: Metrics): (outcome: DeliveryEnding["outcome"]) => void {
  const tries = new Counter({
    name: "service_monitor_webhook_tries_total",
    help: "Tries to deliver a webhook message, by outcome: delivered, retry, failed, or gone (answered 410).",
    labelNames: ["outcome"],
    registers: [metrics],
  });
  return (outcome) => tries.inc({ outcome });
}
