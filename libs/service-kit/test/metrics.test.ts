import { metricFamilies } from "@touchstone/contracts";
import { expect, test } from "vitest";
import { createCounter, createGauge, createHistogram, createMetrics } from "../src/index.ts";

test("a metric has the help, the labels and the buckets of its row in the contracts", async () => {
  const metrics = createMetrics();
  createCounter(metrics, "service_bus_dead_letters_total").inc({ service: "ingest", durable: "d" });
  createGauge(metrics, "service_up", (gauge) => gauge.set({ service: "auth", replica: "a:1" }, 1));
  createHistogram(metrics, "service_compute_seconds").observe({ pool: "p", task: "t" }, 0.3);

  const text = await metrics.metrics();

  expect(text).toContain(`# HELP service_bus_dead_letters_total ${metricFamilies.service_bus_dead_letters_total.help}`);
  expect(text).toContain('service_bus_dead_letters_total{service="ingest",durable="d"} 1');
  expect(text).toContain('service_up{service="auth",replica="a:1"} 1');
  const buckets = [...text.matchAll(/le="(\d[^"]*)"/g)].map(([, bound]) => Number(bound));
  expect(buckets).toEqual([...metricFamilies.service_compute_seconds.buckets]);
});

test("names, types and labels that the contracts do not have do not compile", () => {
  const metrics = createMetrics();
  // @ts-expect-error no such metric
  expect(() => createCounter(metrics, "service_unknown_total")).toThrow();
  // @ts-expect-error a counter
  createGauge(metrics, "service_ingest_batches_total", () => undefined);
  // @ts-expect-error no such label
  expect(() => createCounter(metrics, "service_bus_dead_letters_total").inc({ project: "p" })).toThrow();
});
