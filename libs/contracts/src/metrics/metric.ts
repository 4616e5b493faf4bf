import type { ServiceName } from "../bus/define.ts";

interface AnyMetric {
  /** Where the page of metrics lists it. */
  subject: MetricSubject;
  /** What a sample means, as one sentence. */
  help: string;
  /** What is measured or counted, in the plural. */
  unit: string;
  labels: readonly string[];
  /** The services that expose it; none: the process of the standalone. */
  services: readonly ServiceName[];
}

/** One family of metrics, as a scrape describes it. */
export type Metric = AnyMetric & ({ type: "counter" | "gauge" } | { type: "histogram"; buckets: readonly number[] });

/** The subjects of metrics, in the order of the page that lists them, with their headings. */
export const metricSubjects = {
  http: "Requests",
  ingest: "Ingest",
  runs: "Runs",
  judge: "Judge",
  monitor: "Monitor",
  bus: "Events between services",
  database: "Database connections",
  backup: "Backups and disks",
  shares: "Fair shares",
  compute: "Computing threads",
  process: "Processes",
} as const;
export type MetricSubject = keyof typeof metricSubjects;

/** Families by name. */
export type MetricFamilies = Record<`service_${string}`, Metric>;
