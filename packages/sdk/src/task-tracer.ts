import type { Tracer } from "@opentelemetry/api";
import { bodyOf, type Touchstone } from "./client.ts";

/** Records what a task does, where the process has OpenTelemetry. */
export interface TaskTracer {
  /** Runs a task in a span of the task. `traceId` is undefined where nothing is recorded. */
  trace<Answer>(
    input: { query: string; caseId: string; runNumber: number },
    run: () => Promise<Answer>,
  ): Promise<{ answer: Answer; traceId: string | undefined }>;
  /**
   * The id by which Touchstone knows a trace. An OpenTelemetry id is looked up after the spans were exported; undefined when the
   * project has no such trace.
   */
  resolve(traceId: string): Promise<string | undefined>;
}

const exportMs = 5_000;
const otelTraceId = /^[0-9a-f]{32}$/i;
const noSpan = /^0+$/;

/** Uses `@opentelemetry/api` if it is installed; it records if the process has registered a tracer provider. */
export async function createTaskTracer(client: Touchstone): Promise<TaskTracer> {
  const otel = await import("@opentelemetry/api").catch(() => null);
  const tracer = otel?.trace.getTracer("@touchstone/sdk");
  return {
    async trace(input, run) {
      if (otel == null || tracer === undefined) return { answer: await run(), traceId: undefined };
      return traceTask(otel, tracer, input, run);
    },
    async resolve(traceId) {
      if (!otelTraceId.test(traceId)) return traceId;
      if (otel !== null) await flush(otel.trace.getTracerProvider());
      return findTrace(client, traceId.toLowerCase());
    },
  };
}

async function traceTask<Answer>(
  otel: typeof import("@opentelemetry/api"),
  tracer: Tracer,
  { query, caseId, runNumber }: { query: string; caseId: string; runNumber: number },
  run: () => Promise<Answer>,
): Promise<{ answer: Answer; traceId: string | undefined }> {
  const attributes = {
    "touchstone.source": "eval-run",
    "touchstone.case_id": caseId,
    "touchstone.run_number": runNumber,
    "input.value": query,
  };
  return tracer.startActiveSpan("evaluate", { root: true, attributes }, async (span) => {
    try {
      const answer = await run();
      const output = typeof answer === "string" ? answer : (answer as { output?: unknown } | undefined)?.output;
      if (typeof output === "string") span.setAttribute("output.value", output);
      const { traceId } = span.spanContext();
      return { answer, traceId: noSpan.test(traceId) || !span.isRecording() ? undefined : traceId };
    } catch (error) {
      span.recordException(error as Error);
      span.setStatus({ code: otel.SpanStatusCode.ERROR, message: String((error as Error)?.message ?? error) });
      throw error;
    } finally {
      span.end();
    }
  });
}

/** Spans are exported in batches of some seconds; a judge needs them now. */
async function flush(provider: unknown): Promise<void> {
  const { getDelegate } = provider as { getDelegate?(): unknown };
  const registered = (getDelegate?.call(provider) ?? provider) as { forceFlush?(): Promise<void> };
  const flushed = registered.forceFlush?.().catch(() => undefined);
  if (flushed === undefined) return;
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, exportMs);
  });
  await Promise.race([flushed, late]);
  clearTimeout(timer);
}

async function findTrace(client: Touchstone, traceId: string): Promise<string | undefined> {
  const { traces } = await bodyOf(
    client.api.GET("/api/v1/ingest/traces", { params: { query: { search: traceId, limit: "1", view: "preview" } } }),
  );
  return traces[0]?._id;
}
