import { setImmediate } from "node:timers/promises";
import { createCounter, createGauge, createHistogram, type Metrics } from "@touchstone/service-kit";
import { PrometheusText } from "./prometheus-text.ts";
import type { ServiceMetrics } from "./service-metrics.ts";

/** The measurements of one answered request. `route` is the operation's name, never an address. */
export interface AnsweredRequest {
  method: string;
  route: string;
  status: number;
  durationMs: number;
}

export interface GatewayMetrics {
  observe(answered: AnsweredRequest): void;
  /** All metrics in Prometheus text. */
  render(): Promise<string>;
}

/**
 * The gateway's own metrics (completions 1.6), joined with those of services in the same process: families of the same
 * name become one, distinguished by their `service` label. Those of other processes are requested.
 */
export function createGatewayMetrics(
  own: Metrics,
  others: readonly Metrics[],
  services: ServiceMetrics | null,
): GatewayMetrics {
  const requests = createCounter(own, "service_http_requests_total");
  const durations = createHistogram(own, "service_http_request_duration_seconds");
  createGauge(own, "service_process_resident_memory_bytes", (gauge) => gauge.set(process.memoryUsage.rss()));
  createGauge(own, "service_process_uptime_seconds", (gauge) => gauge.set(process.uptime()));
  return {
    observe({ method, route, status, durationMs }) {
      const labels = { service: "gateway", route };
      requests.inc({ ...labels, status: String(status), method });
      durations.observe(labels, durationMs / 1000);
    },
    async render() {
      const text = new PrometheusText();
      for (const registry of [own, ...others]) {
        // A family of many routes has thousands of samples: requests are answered between families.
        for (const { name } of registry.getMetricsAsArray()) {
          text.add(await registry.getSingleMetricAsString(name));
          await setImmediate();
        }
      }
      await services?.addTo(text);
      return text.toString();
    },
  };
}
