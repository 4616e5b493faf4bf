import type { paths } from "../api/schema.gen.d.ts";

/** The outcome of the requests that brought telemetry. */
export type IngestHealth =
  paths["/api/v1/agent-monitoring/ingest-health"]["get"]["responses"][200]["content"]["application/json"];
type Reason = IngestHealth["refusals"][number]["reason"];
type Items = IngestHealth["parts"][number]["items"];

/** A reason for which telemetry was not stored. */
export interface IngestRow {
  key: string;
  /** The HTTP status of a request; null for a part of an accepted one. */
  status: number | null;
  title: string;
  /** The last answer to the sender, or advice. */
  advice: string;
  count: number;
  lastAt: string;
}

interface Words {
  title: string;
  advice: string;
}

const reasons: Readonly<Partial<Record<Reason, Words>>> = {
  rate_limited: {
    title: "Too many requests",
    advice: "Send larger batches. The operator can raise SERVICE_RATE_LIMIT_DATA_PLANE.",
  },
  queue_full: {
    title: "The queue was full",
    advice: "Senders may retry after a second. If it lasts, send less at once.",
  },
  trace_quota_spent: { title: "Daily trace quota used up", advice: "It starts again at midnight UTC." },
  trace_invalid: { title: "Traces with wrong fields", advice: "The answer names each field; correct the sender." },
  bad_request: { title: "Requests with a wrong field", advice: "The answer names the field; correct the sender." },
  body_unreadable: {
    title: "Bodies that cannot be read",
    advice: "Neither JSON nor OTLP, or not compressed as the headers say.",
  },
  body_too_large: { title: "Bodies that are too large", advice: "Send smaller batches." },
  unsupported_media_type: {
    title: "Content type not supported",
    advice: "Send application/json, or application/x-protobuf to the OTLP address.",
  },
  forbidden: {
    title: "Workspace or agent not found",
    advice: "The body names one that this project does not have. Use the key of its project.",
  },
  host_refused: {
    title: "Unknown host name or origin",
    advice: "The operator can add it to SERVICE_ALLOWED_HOSTS or SERVICE_TRUSTED_ORIGINS.",
  },
  store_unavailable: {
    title: "The database was unavailable or full",
    advice: "Senders may retry after two seconds. The server's log says why.",
  },
  service_unavailable: {
    title: "A part of the server was unavailable",
    advice: "Senders may retry after two seconds. The server's log says why.",
  },
  internal: { title: "Unexpected errors", advice: "The server's log has them; please report them." },
};

const parts: Readonly<Partial<Record<Items, Words>>> = {
  spans: { title: "Spans that are not valid", advice: "The rest of the export was stored." },
  log_records: { title: "Log records that are not valid", advice: "The rest of the export was stored." },
  lines: { title: "Lines of imports that are not valid", advice: "The rest of the import was stored." },
};

/** The telemetry that was not stored, most frequent first: refused requests, then parts of accepted ones. */
export function ingestRows(health: IngestHealth): IngestRow[] {
  return [
    ...health.refusals.map(({ reason, status, example, count, lastAt }) => {
      // A reason of a newer server is shown as its code.
      const { title = reason, advice = "" } = reasons[reason] ?? {};
      return { key: reason, status, title, advice: example === null ? advice : answer(example), count, lastAt };
    }),
    ...health.parts.map(({ items, example, count, lastAt }) => {
      const { title = items, advice = "" } = parts[items] ?? {};
      const whole = example === null ? advice : `${answer(example)} ${advice}`;
      return { key: items, status: null, title, advice: whole, count, lastAt };
    }),
  ];
}

/** The latest answer to a sender, as a sentence. */
function answer(example: string): string {
  return `Last answer: ${example}${/[.!?]$/.test(example) ? "" : "."}`;
}
