import type { ServiceDefinition } from "@grpc/grpc-js";
import { type Route, routes } from "@touchstone/contracts";

/** One OTLP service of gRPC, and the HTTP route that serves it. */
export interface OtlpService {
  definition: ServiceDefinition;
  route: Route;
}

/** The messages stay bytes: ingest decodes them, like those of OTLP/HTTP (otlp 3). */
const asIs = (bytes: Buffer): Buffer => bytes;

function define(signal: "trace" | "logs" | "metrics", service: string, route: Route): OtlpService {
  const path = `/opentelemetry.proto.collector.${signal}.v1.${service}/Export`;
  return {
    route,
    definition: {
      Export: {
        path,
        requestStream: false,
        responseStream: false,
        requestSerialize: asIs,
        requestDeserialize: asIs,
        responseSerialize: asIs,
        responseDeserialize: asIs,
      },
    },
  };
}

export const otlpServices: readonly OtlpService[] = [
  define("trace", "TraceService", routes.receiveTraces),
  define("logs", "LogsService", routes.receiveLogs),
  define("metrics", "MetricsService", routes.receiveMetrics),
];
