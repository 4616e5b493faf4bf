import { evaluatingMetrics } from "./metrics/evaluating.ts";
import type { Metric, MetricFamilies } from "./metrics/metric.ts";
import { processMetrics } from "./metrics/processes.ts";
import { recordingMetrics } from "./metrics/recording.ts";
import { requestMetrics } from "./metrics/requests.ts";
import { serverMetrics } from "./metrics/servers.ts";

export { type Metric, type MetricSubject, metricSubjects } from "./metrics/metric.ts";

/** Every Prometheus metric. Names and labels are a contract with dashboards and alerts: add, never rename. */
export const metricFamilies = {
  ...requestMetrics,
  ...recordingMetrics,
  ...evaluatingMetrics,
  ...serverMetrics,
  ...processMetrics,
} as const satisfies MetricFamilies;

/** The names of the metrics, or of those of a type. */
export type MetricName<Type extends Metric["type"] = Metric["type"]> = {
  [Name in keyof typeof metricFamilies]: (typeof metricFamilies)[Name]["type"] extends Type ? Name : never;
}[keyof typeof metricFamilies];

/** The names of the labels of a metric. */
export type MetricLabel<Name extends MetricName> = (typeof metricFamilies)[Name]["labels"][number];
