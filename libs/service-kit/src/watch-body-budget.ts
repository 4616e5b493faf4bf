import type { ServiceName } from "@touchstone/contracts";
import type { BodyBudget } from "./body-budget.ts";
import { createGauge, type Metrics } from "./metrics.ts";

/** Metrics of a service's open request bodies and answers, read when they are scraped. */
export function watchBodyBudget(
  { bodies, answers }: { bodies: BodyBudget; answers: BodyBudget },
  { service, metrics }: { service: ServiceName; metrics: Metrics },
): void {
  createGauge(metrics, "service_http_body_bytes", (gauge) => {
    const { small, large } = bodies.bytes();
    gauge.set({ service, size: "small" }, small);
    gauge.set({ service, size: "large" }, large);
  });
  createGauge(metrics, "service_http_answer_bytes", (gauge) => {
    const { small, large } = answers.bytes();
    gauge.set({ service }, small + large);
  });
}
