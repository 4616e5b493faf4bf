import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { gunzipSync } from "node:zlib";
import protobuf from "protobufjs";

/** The part of OTLP for log records, decoded independently of the sender's code. */
const messages = protobuf.parse(`
  syntax = "proto3";
  message ExportLogsServiceRequest { repeated ResourceLogs resource_logs = 1; }
  message ResourceLogs { Resource resource = 1; repeated ScopeLogs scope_logs = 2; }
  message Resource { repeated KeyValue attributes = 1; }
  message ScopeLogs { Scope scope = 1; repeated LogRecord log_records = 2; }
  message Scope { string name = 1; string version = 2; }
  message LogRecord {
    fixed64 time_unix_nano = 1;
    AnyValue body = 5;
    repeated KeyValue attributes = 6;
    bytes trace_id = 9;
    bytes span_id = 10;
    fixed64 observed_time_unix_nano = 11;
    string event_name = 12;
  }
  message KeyValue { string key = 1; AnyValue value = 2; }
  message AnyValue {
    oneof value { string string_value = 1; bool bool_value = 2; int64 int_value = 3; double double_value = 4; }
  }
  message ExportLogsServiceResponse { PartialSuccess partial_success = 1; }
  message PartialSuccess { int64 rejected_log_records = 1; string error_message = 2; }
`).root;
const request = messages.lookupType("ExportLogsServiceRequest");
const response = messages.lookupType("ExportLogsServiceResponse");

type Attributes = Record<string, string | number | boolean>;

/** A log record as it was sent. */
export interface CollectedRecord {
  resource: Attributes;
  scopeName: string;
  eventName: string;
  /** Hexadecimal; empty if it names no span. */
  traceId: string;
  spanId: string;
  atMs: number;
  attributes: Attributes;
}

/** A received export. */
export interface CollectedExport {
  path: string;
  headers: IncomingHttpHeaders;
  /** As received. */
  body: Buffer;
  records: CollectedRecord[];
}

/** How the collector answers an export. */
export type CollectorAnswer =
  | { status: number; retryAfter?: string }
  | { rejected: number; message: string }
  /** It accepts the export and never answers. */
  | "hangs";

/** An OTLP collector of log records over HTTP. */
export interface OtlpCollector {
  url: string;
  /** All received exports, whatever the answer was. */
  exports: CollectedExport[];
  /** Answers in turn, then always 200. */
  answerWith(...answers: CollectorAnswer[]): void;
  stop(): Promise<void>;
}

/** Starts a collector on loopback; an invalid export is answered with 400. */
export async function startOtlpCollector(): Promise<OtlpCollector> {
  const exports: CollectedExport[] = [];
  const answers: CollectorAnswer[] = [];
  const server = createServer((incoming, outgoing) => {
    const chunks: Buffer[] = [];
    incoming.on("data", (chunk: Buffer) => chunks.push(chunk));
    incoming.on("end", () => {
      const { headers, url: path = "" } = incoming;
      try {
        const body = Buffer.concat(chunks);
        exports.push({ path, headers, body, records: readExport(body, headers) });
      } catch (err) {
        outgoing.writeHead(400).end(String(err));
        return;
      }
      const answer = answers.shift() ?? { status: 200 };
      if (answer === "hangs") return;
      outgoing.setHeader("content-type", "application/x-protobuf");
      if ("rejected" in answer) {
        const partialSuccess = { rejectedLogRecords: answer.rejected, errorMessage: answer.message };
        outgoing.writeHead(200).end(response.encode(response.fromObject({ partialSuccess })).finish());
        return;
      }
      if (answer.retryAfter !== undefined) outgoing.setHeader("retry-after", answer.retryAfter);
      outgoing.writeHead(answer.status, answer.status === 302 ? { location: "/elsewhere" } : {}).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    exports,
    answerWith: (...more) => void answers.push(...more),
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

type PlainAttributes = { key: string; value?: Record<string, string | number | boolean> }[];
interface PlainExport {
  resourceLogs?: {
    resource?: { attributes?: PlainAttributes };
    scopeLogs?: {
      scope?: { name?: string };
      logRecords?: {
        timeUnixNano?: string;
        eventName?: string;
        traceId?: string;
        spanId?: string;
        attributes?: PlainAttributes;
      }[];
    }[];
  }[];
}

/** Reads the body of an export. */
export function readExport(body: Uint8Array, headers: IncomingHttpHeaders = {}): CollectedRecord[] {
  const bytes = headers["content-encoding"] === "gzip" ? gunzipSync(body) : body;
  const plain = request.toObject(request.decode(bytes), { longs: String, bytes: String }) as PlainExport;
  return (plain.resourceLogs ?? []).flatMap(({ resource, scopeLogs = [] }) =>
    scopeLogs.flatMap(({ scope, logRecords = [] }) =>
      logRecords.map((record) => ({
        resource: readAttributes(resource?.attributes),
        scopeName: scope?.name ?? "",
        eventName: record.eventName ?? "",
        traceId: toHex(record.traceId),
        spanId: toHex(record.spanId),
        atMs: Number(BigInt(record.timeUnixNano ?? 0) / 1_000_000n),
        attributes: readAttributes(record.attributes),
      })),
    ),
  );
}

const toHex = (base64 = ""): string => Buffer.from(base64, "base64").toString("hex");

function readAttributes(list: PlainAttributes = []): Attributes {
  return Object.fromEntries(
    list.map(({ key, value = {} }) => {
      const [[kind, said] = ["", ""]] = Object.entries(value);
      return [key, kind === "intValue" ? Number(said) : said];
    }),
  );
}
