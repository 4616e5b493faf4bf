import type { ServiceName } from "@touchstone/contracts";
import { Counter, Gauge } from "prom-client";
import type { FairShare } from "./fair-share.ts";
import type { Metrics } from "./metrics.ts";

/** Metrics of shares, by the name of the resource, read when they are scraped. They name no tenant. */
export function watchShares(
  shares: Readonly<Record<string, FairShare>>,
  { service, metrics }: { service: ServiceName; metrics: Metrics },
): void {
  const registers = [metrics];
  const labelNames = ["service", "resource"];
  const gauge = (name: string, help: string, read: (share: FairShare) => number): void => {
    new Gauge({
      name,
      help,
      labelNames,
      registers,
      collect() {
        for (const [resource, share] of Object.entries(shares)) this.set({ service, resource }, read(share));
      },
    });
  };
  gauge("service_share_total", "What all tenants may hold together.", (share) => share.total);
  gauge("service_share_held", "What all tenants hold.", (share) => share.held());
  gauge("service_share_held_most", "What the organization that holds most holds.", (share) => share.largest());
  new Counter({
    name: "service_share_refused_total",
    help: "Requests refused, by what was used up: the share of the project, of the organization, or the total.",
    labelNames: [...labelNames, "unit"],
    registers,
    collect() {
      this.reset();
      for (const [resource, { counts }] of Object.entries(shares)) {
        for (const unit of ["project", "organization", "total"] as const) {
          this.inc({ service, resource, unit }, counts[`refused_${unit}`]);
        }
      }
    },
  });
  new Counter({
    name: "service_share_taken_back_total",
    help: "Streams and arriving bodies ended to make room for a tenant that held less.",
    labelNames,
    registers,
    collect() {
      this.reset();
      for (const [resource, { counts }] of Object.entries(shares)) this.inc({ service, resource }, counts.taken_back);
    },
  });
}
