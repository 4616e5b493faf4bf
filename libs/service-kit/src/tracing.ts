import { AsyncLocalStorage } from "node:async_hooks";
import type { Attributes, Context, Tracer } from "@opentelemetry/api";
import type { SpanExporter } from "@opentelemetry/sdk-trace";
import type { Secret, ServiceName } from "@touchstone/contracts";
import { readHeaderList } from "./config.ts";
import type { Logger } from "./logger.ts";

/** Where the installation's own traces go. */
export interface TracingConfig {
  /** The base address of an OTLP/HTTP receiver; `/v1/traces` is appended. */
  endpoint: string;
  /** Headers of each export, as {@link readHeaderList} reads them; null: none. They may hold a key. */
  headers: Secret | null;
  /** The share of the requests that are traced, 0 to 1. */
  ratio: number;
}

/** What {@link startTracing} set up; null while nothing is traced, which is all that tracing costs then. */
let running: Running | null = null;

interface Running {
  api: typeof import("@opentelemetry/api");
  tracerOf(service: ServiceName): Tracer;
  ratio: number;
  active: AsyncLocalStorage<{ context: Context; service: ServiceName }>;
}

export interface TracedWork {
  /** Absent: that of the step it is part of. */
  service?: ServiceName;
  /** The operation, with few different values: a route, a subject, the name of a statement. */
  name: string;
  kind: "server" | "client" | "consumer";
  attributes?: Attributes;
  /**
   * `new`: begins a trace, if this one is chosen by the ratio. A `traceparent` of W3C Trace Context: continues that trace; null
   * continues none. Absent: a step of what is traced already. Where there is no trace to continue, the work just runs.
   */
  parent?: "new" | string | null;
}

/** A span that is being recorded. */
export interface TraceStep {
  /** The status of an HTTP answer. 5xx marks the span as failed. */
  answered(status: number): void;
  failed(thrown: unknown): void;
}

/**
 * Runs work as one span of the installation's own traces. A span has the names of operations, statuses and types of errors:
 * no text, no key, no parameter of a statement.
 */
export function traced<Result>(what: TracedWork, work: (step: TraceStep | null) => Promise<Result>): Promise<Result> {
  return running === null ? work(null) : traceIn(running, what, work);
}

/** The `traceparent` for what the current step asks of another service; undefined if nothing is traced. */
export function currentTraceparent(): string | undefined {
  const step = running?.active.getStore();
  const span = step && running?.api.trace.getSpanContext(step.context);
  return span && `00-${span.traceId}-${span.spanId}-01`;
}

/** Runs work outside of any trace. A timer that it sets belongs to no request. */
export function untraced<Result>(work: () => Result): Result {
  return running === null ? work() : running.active.exit(work);
}

/** A step whose end is no promise's: {@link OpenTrace.end} must be called once. Null if nothing is traced. */
export function openTrace(what: TracedWork): OpenTrace | null {
  return running === null ? null : openIn(running, what);
}

export interface OpenTrace extends TraceStep {
  /** Runs a part of the work: what it asks of others is part of this step. */
  run<Result>(work: () => Result): Result;
  end(): void;
}

async function traceIn<Result>(
  running: Running,
  what: TracedWork,
  work: (step: TraceStep | null) => Promise<Result>,
): Promise<Result> {
  const step = openIn(running, what);
  if (step === null) return work(null);
  try {
    return await step.run(() => work(step));
  } catch (thrown) {
    step.failed(thrown);
    throw thrown;
  } finally {
    step.end();
  }
}

function openIn(
  { api, tracerOf, ratio, active }: Running,
  { name, kind, attributes = {}, ...what }: TracedWork,
): OpenTrace | null {
  const outer = active.getStore();
  const service = what.service ?? outer?.service;
  const context = contextOf(api, what.parent === undefined ? outer?.context : what.parent, ratio);
  if (context === null || service === undefined) return null;
  const span = tracerOf(service).startSpan(name, { kind: kinds[kind], attributes }, context);
  const inside = { context: api.trace.setSpan(context, span), service };
  return {
    run: (work) => active.run(inside, work),
    answered(status) {
      span.setAttribute("http.response.status_code", status);
      if (status >= 500) span.setStatus({ code: statusError });
    },
    failed(thrown) {
      span.setAttribute("error.type", typeOfError(thrown));
      span.setStatus({ code: statusError });
    },
    end: () => span.end(),
  };
}

/** Numbers of the API's enumerations, which need not be loaded while nothing is traced. */
const kinds = { server: 1, client: 2, consumer: 4 };
const statusError = 2;

/** Null: there is nothing to continue, or the new trace is not among those that are recorded. */
function contextOf(api: Running["api"], parent: Context | string | null | undefined, ratio: number): Context | null {
  if (parent === undefined || parent === null) return null;
  if (typeof parent !== "string") return parent;
  if (parent === "new") return Math.random() < ratio ? api.ROOT_CONTEXT : null;
  const [, traceId, spanId] = /^00-([0-9a-f]{32})-([0-9a-f]{16})-01$/.exec(parent) ?? [];
  if (traceId === undefined || spanId === undefined) return null;
  return api.trace.setSpanContext(api.ROOT_CONTEXT, { traceId, spanId, traceFlags: 1, isRemote: true });
}

function typeOfError(thrown: unknown): string {
  if (!(thrown instanceof Error)) return "unknown";
  return "code" in thrown && typeof thrown.code === "string" ? thrown.code : thrown.name;
}

export interface Tracing {
  /** Exports what is left, for two seconds at most. */
  stop(): Promise<void>;
}

/** The longest wait for an export that is under way when the process stops. */
const stopMs = 2_000;
const exportTimeoutMs = 10_000;
/** Failed exports are logged no more often than this. */
const complainEveryMs = 60_000;

/**
 * Begins to trace this process. Spans wait in a bounded queue and are exported in the background; what cannot be exported is
 * dropped and logged, and no request waits for it. Loads the OpenTelemetry SDK, which nothing else needs.
 */
export async function startTracing(config: TracingConfig, logger: Logger): Promise<Tracing> {
  const [api, sdk, { OTLPTraceExporter }, { resourceFromAttributes }] = await Promise.all([
    import("@opentelemetry/api"),
    import("@opentelemetry/sdk-trace"),
    import("@opentelemetry/exporter-trace-otlp-proto"),
    import("@opentelemetry/resources"),
  ]);
  const exporter = new OTLPTraceExporter({
    url: `${config.endpoint}${config.endpoint.endsWith("/") ? "" : "/"}v1/traces`,
    headers: readHeaderList(config.headers?.reveal() ?? ""),
    timeoutMillis: exportTimeoutMs,
  });
  const processor = new sdk.BatchSpanProcessor({ exporter: complaining(exporter, logger) });
  const providers = new Map<ServiceName, InstanceType<typeof sdk.TracerProvider>>();
  running = {
    api,
    ratio: config.ratio,
    active: new AsyncLocalStorage(),
    tracerOf(service) {
      let provider = providers.get(service);
      if (provider === undefined) {
        const resource = resourceFromAttributes({ "service.name": service, "service.namespace": "touchstone" });
        provider = new sdk.TracerProvider({ resource, spanProcessors: [processor] });
        providers.set(service, provider);
      }
      return provider.getTracer("touchstone");
    },
  };
  return {
    async stop() {
      running = null;
      const time = new Promise((resolve) => setTimeout(resolve, stopMs).unref());
      await Promise.race([processor.shutdown(), time]).catch(() => undefined);
    },
  };
}

/** Logs failed exports, which the SDK keeps to itself. */
function complaining(exporter: SpanExporter, logger: Logger): SpanExporter {
  let complainedMs = -Infinity;
  return {
    export(spans, done) {
      exporter.export(spans, (result) => {
        if (result.code !== 0 && performance.now() - complainedMs > complainEveryMs) {
          complainedMs = performance.now();
          logger.warn({ err: result.error, spans: spans.length }, "spans of this installation could not be exported");
        }
        done(result);
      });
    },
    shutdown: () => exporter.shutdown(),
  };
}
