import type { Backlog, Bus } from "@touchstone/bus";
import type { ServiceName } from "@touchstone/contracts";
import { type Clock, createGauge, createScrapeReading, type Metrics } from "@touchstone/service-kit";

/** Metrics of the events that wait for the durable consumers of a service. While NATS is unavailable they have no samples. */
export function watchConsumers(
  bus: Pick<Bus, "readBacklogs">,
  { service, clock, metrics }: { service: ServiceName; clock: Clock; metrics: Metrics },
): void {
  const read = createScrapeReading({ clock, read: bus.readBacklogs });
  const show = (name: `service_bus_consumer_${"pending" | "ack_pending"}`, part: "pending" | "ackPending"): void => {
    createGauge(metrics, name, async (gauge) => {
      const backlogs: readonly Backlog[] = (await read()) ?? [];
      // A number that is no longer known would look like a consumer that does nothing.
      gauge.reset();
      for (const backlog of backlogs) gauge.inc({ service, durable: backlog.durable }, backlog[part]);
    });
  };
  show("service_bus_consumer_pending", "pending");
  show("service_bus_consumer_ack_pending", "ackPending");
}
