import type { ServiceName } from "@touchstone/contracts";
import { createCounter, type Metrics } from "./metrics.ts";

/** Counts the events that a service gave up; for `onDeadLetter` of its bus. An operator replays or drops them. */
export function countDeadLetters({
  service,
  metrics,
}: {
  service: ServiceName;
  metrics: Metrics;
}): (letter: { durable: string }) => void {
  const letters = createCounter(metrics, "service_bus_dead_letters_total");
  return ({ durable }) => letters.inc({ service, durable });
}
