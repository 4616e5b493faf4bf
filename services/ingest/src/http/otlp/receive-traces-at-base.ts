import type { Handler } from "@touchstone/service-kit";
import { receiveTraces } from "../../otlp/receive-traces.ts";

/** `POST /otel`: some exporters post traces to the base address as it was configured, without a path (otlp 1). */
export function receiveTracesAtBase(dependencies: Parameters<typeof receiveTraces>[0]): Handler {
  return receiveTraces(dependencies);
}
