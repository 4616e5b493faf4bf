import { serviceNames } from "../bus/define.ts";
import type { MetricFamilies } from "./metric.ts";

/** Processes and their threads. */
export const processMetrics = {
  service_compute_waiting: {
    subject: "compute",
    type: "gauge",
    help: "Computations that wait for a thread.",
    unit: "computations",
    labels: ["pool"],
    services: ["ingest", "eval-runs", "monitor"],
  },
  service_compute_threads: {
    subject: "compute",
    type: "gauge",
    help: "Threads that compute or wait for work.",
    unit: "threads",
    labels: ["pool"],
    services: ["ingest", "eval-runs", "monitor"],
  },
  service_compute_ended_total: {
    subject: "compute",
    type: "counter",
    help: "Computations that ended, by task and outcome.",
    unit: "computations",
    labels: ["pool", "task", "outcome"],
    services: ["ingest", "eval-runs", "monitor"],
  },
  service_compute_seconds: {
    subject: "compute",
    type: "histogram",
    help: "How long a computation occupied a thread, by task.",
    unit: "seconds",
    labels: ["pool", "task"],
    buckets: [0.001, 0.005, 0.02, 0.1, 0.5, 2, 10],
    services: ["ingest", "eval-runs", "monitor"],
  },
  service_event_loop_stall_seconds: {
    subject: "process",
    type: "histogram",
    help: "Longest time within each second that the event loop did nothing else.",
    unit: "seconds",
    labels: ["service"],
    buckets: [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60],
    services: serviceNames,
  },
  service_process_resident_memory_bytes: {
    subject: "process",
    type: "gauge",
    help: "Memory that the process of the gateway occupies.",
    unit: "bytes",
    labels: [],
    services: ["gateway"],
  },
  service_process_uptime_seconds: {
    subject: "process",
    type: "gauge",
    help: "Time since the process of the gateway started.",
    unit: "seconds",
    labels: [],
    services: ["gateway"],
  },
  service_up: {
    subject: "process",
    type: "gauge",
    help: "Whether a replica answered when the gateway asked it: 1 or 0.",
    unit: "0 or 1",
    labels: ["service", "replica"],
    services: ["gateway"],
  },
} as const satisfies MetricFamilies;
