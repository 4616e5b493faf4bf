import type { ServiceName } from "@touchstone/contracts";
import { Counter } from "prom-client";
import type { Metrics } from "./metrics.ts";

/** Counts the events that a service gave up; for `onDeadLetter` of its bus. An operator replays or drops them. */
export function countDeadLetters({
  service,
  metrics,
}: {
  service: ServiceName;
  metrics: Metrics;
}): (letter: { durable: string }) => void {
  const letters = new Counter({
    name: "service_bus_dead_letters_total",
    help: "Events that were given up and kept as dead letters, by the durable consumer that could not take them.",
    labelNames: ["service", "durable"],
    registers: [metrics],
  });
  return ({ durable }) => letters.inc({ service, durable });
}
