import type { MetricName, ServiceName } from "@touchstone/contracts";
import type { FairShare } from "./fair-share.ts";
import { createCounter, createGauge, type Metrics } from "./metrics.ts";

/** Metrics of shares, by the name of the resource, read when they are scraped. They name no tenant. */
export function watchShares(
  shares: Readonly<Record<string, FairShare>>,
  { service, metrics }: { service: ServiceName; metrics: Metrics },
): void {
  const gauge = (name: MetricName<"gauge"> & `service_share_${string}`, read: (share: FairShare) => number): void => {
    createGauge(metrics, name, (shown) => {
      for (const [resource, share] of Object.entries(shares)) shown.set({ service, resource }, read(share));
    });
  };
  gauge("service_share_total", (share) => share.total);
  gauge("service_share_held", (share) => share.held());
  gauge("service_share_held_most", (share) => share.largest());
  createCounter(metrics, "service_share_refused_total", (refused) => {
    refused.reset();
    for (const [resource, { counts }] of Object.entries(shares)) {
      for (const unit of ["project", "organization", "total"] as const) {
        refused.inc({ service, resource, unit }, counts[`refused_${unit}`]);
      }
    }
  });
  createCounter(metrics, "service_share_taken_back_total", (takenBack) => {
    takenBack.reset();
    for (const [resource, { counts }] of Object.entries(shares))
      takenBack.inc({ service, resource }, counts.taken_back);
  });
}
