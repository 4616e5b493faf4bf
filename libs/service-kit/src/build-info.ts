import manifest from "../package.json" with { type: "json" };
import type { Environment } from "./config.ts";
import { createGauge, type Metrics } from "./metrics.ts";

/** What a process was built from. The image sets both variables; outside of it the version is that of the sources. */
export function readBuild({
  TOUCHSTONE_VERSION: version = manifest.version,
  TOUCHSTONE_REVISION: revision = "unknown",
}: Environment): { version: string; revision: string } {
  return { version, revision };
}

/** Shows in metrics what this process was built from. */
export function showBuild({
  service,
  metrics,
  environment,
}: {
  service: string;
  metrics: Metrics;
  environment: Environment;
}): void {
  createGauge(metrics, "service_build_info").set({ service, ...readBuild(environment) }, 1);
}
