import type { Metrics } from "@touchstone/service-kit";
import { AggregatorRegistry, Counter, Gauge, Histogram } from "prom-client";
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
  const registers = [own];
  const requests = new Counter({
    name: "service_http_requests_total",
    help: "Requests answered.",
    labelNames: ["service", "method", "route", "status"],
    registers,
  });
  const durations = new Histogram({
    name: "service_http_request_duration_seconds",
    help: "Time from the first byte of a request to the end of its answer.",
    labelNames: ["service", "route", "status"],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 60],
    registers,
  });
  new Gauge({
    name: "service_process_resident_memory_bytes",
    help: "Memory this process occupies.",
    registers,
    collect() {
      this.set(process.memoryUsage.rss());
    },
  });
  new Gauge({
    name: "service_process_uptime_seconds",
    help: "Time since this process started.",
    registers,
    collect() {
      this.set(process.uptime());
    },
  });
  return {
    observe({ method, route, status, durationMs }) {
      const labels = { service: "gateway", route, status: String(status) };
      requests.inc({ ...labels, method });
      durations.observe(labels, durationMs / 1000);
    },
    async render() {
      const all = await Promise.all([own, ...others].map((registry) => registry.getMetricsAsJSON()));
      const text = new PrometheusText();
      text.add(await AggregatorRegistry.aggregate(all).metrics());
      await services?.addTo(text);
      return text.toString();
    },
  };
}
