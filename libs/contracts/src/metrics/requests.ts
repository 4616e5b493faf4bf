import { serviceNames } from "../bus/define.ts";
import type { MetricFamilies } from "./metric.ts";

const requestSeconds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 60];

/** Requests, and the shares of what they use. */
export const requestMetrics = {
  service_http_requests_total: {
    subject: "http",
    type: "counter",
    help: "Requests answered.",
    unit: "requests",
    labels: ["service", "method", "route", "status"],
    services: serviceNames,
  },
  service_http_request_duration_seconds: {
    subject: "http",
    type: "histogram",
    help: "Time to answer a request: in a gateway from its first byte to the end of the answer, in a service from when it was read.",
    unit: "seconds",
    labels: ["service", "route"],
    buckets: requestSeconds,
    services: serviceNames,
  },
  service_http_body_bytes: {
    subject: "http",
    type: "gauge",
    help: "Bytes of request bodies in memory, with what they were inflated to and decoded.",
    unit: "bytes",
    labels: ["service", "size"],
    services: serviceNames,
  },
  service_http_answer_bytes: {
    subject: "http",
    type: "gauge",
    help: "Bytes of answers over 64 KiB that are being made or sent.",
    unit: "bytes",
    labels: ["service"],
    services: serviceNames,
  },
  service_share_total: {
    subject: "shares",
    type: "gauge",
    help: "What all tenants together may hold of a resource.",
    unit: "units",
    labels: ["service", "resource"],
    services: serviceNames,
  },
  service_share_held: {
    subject: "shares",
    type: "gauge",
    help: "What all tenants together hold of a resource.",
    unit: "units",
    labels: ["service", "resource"],
    services: serviceNames,
  },
  service_share_held_most: {
    subject: "shares",
    type: "gauge",
    help: "What the organization that holds most of a resource holds.",
    unit: "units",
    labels: ["service", "resource"],
    services: serviceNames,
  },
  service_share_refused_total: {
    subject: "shares",
    type: "counter",
    help: "Requests refused, by what was used up: the share of the project, of the organization, or the total.",
    unit: "requests",
    labels: ["service", "resource", "unit"],
    services: serviceNames,
  },
  service_share_taken_back_total: {
    subject: "shares",
    type: "counter",
    help: "Streams and arriving bodies ended to make room for a tenant that held less.",
    unit: "streams and bodies",
    labels: ["service", "resource"],
    services: serviceNames,
  },
} as const satisfies MetricFamilies;
