import { type Metric, type MetricLabel, type MetricName, metricFamilies } from "@touchstone/contracts";
import { Counter, Gauge, Histogram, Registry } from "prom-client";

/** A separate registry for each service: several live in one process, and a global one would mix them. */
export type Metrics = Registry;

export function createMetrics(): Metrics {
  return new Registry();
}

/** Registers a counter of `metricFamilies`. `collect` may set it on each scrape. */
export function createCounter<Name extends MetricName<"counter">>(
  metrics: Metrics,
  name: Name,
  collect?: (counter: Counter<MetricLabel<Name>>) => void,
): Counter<MetricLabel<Name>> {
  const counter: Counter<MetricLabel<Name>> = new Counter({
    ...describe(metrics, name),
    ...(collect && { collect: (): void => collect(counter) }),
  });
  return counter;
}

/** Registers a gauge of `metricFamilies`. `collect` may set it on each scrape. */
export function createGauge<Name extends MetricName<"gauge">>(
  metrics: Metrics,
  name: Name,
  collect?: (gauge: Gauge<MetricLabel<Name>>) => void | Promise<void>,
): Gauge<MetricLabel<Name>> {
  const gauge: Gauge<MetricLabel<Name>> = new Gauge({
    ...describe(metrics, name),
    ...(collect && { collect: (): void | Promise<void> => collect(gauge) }),
  });
  return gauge;
}

/** Registers a histogram of `metricFamilies`. */
export function createHistogram<Name extends MetricName<"histogram">>(
  metrics: Metrics,
  name: Name,
): Histogram<MetricLabel<Name>> {
  return new Histogram<MetricLabel<Name>>({ ...describe(metrics, name), buckets: [...metricFamilies[name].buckets] });
}

function describe<Name extends MetricName>(metrics: Metrics, name: Name) {
  const { help, labels }: Metric = metricFamilies[name];
  return { name, help, labelNames: labels as readonly MetricLabel<Name>[], registers: [metrics] };
}
