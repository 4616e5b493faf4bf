import type { ServiceName } from "@touchstone/contracts";
import { Gauge } from "prom-client";
import type { BodyBudget } from "./body-budget.ts";
import type { Metrics } from "./metrics.ts";

/** Metrics of a service's open request bodies and answers, read when they are scraped. */
export function watchBodyBudget(
  { bodies, answers }: { bodies: BodyBudget; answers: BodyBudget },
  { service, metrics }: { service: ServiceName; metrics: Metrics },
): void {
  new Gauge({
    name: "service_http_body_bytes",
    help: "Bytes of request bodies in hand, with what they were inflated to and decoded.",
    labelNames: ["service", "size"],
    registers: [metrics],
    collect() {
      const { small, large } = bodies.bytes();
      this.set({ service, size: "small" }, small);
      this.set({ service, size: "large" }, large);
    },
  });
  new Gauge({
    name: "service_http_answer_bytes",
    help: "Bytes of answers over 64 KiB that are being made or sent.",
    labelNames: ["service"],
    registers: [metrics],
    collect() {
      const { small, large } = answers.bytes();
      this.set({ service }, small + large);
    },
  });
}
