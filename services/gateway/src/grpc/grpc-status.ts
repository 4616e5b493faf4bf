import { Metadata, type StatusObject, status } from "@grpc/grpc-js";
import { renderError } from "@touchstone/service-kit";

/** An error as the OTLP/HTTP routes answer it. */
export interface HttpRefusal {
  status: number;
  retryAfterSeconds: number | null;
  /** `{ message }`, `{ error }` or `{ statusCode, message }`. */
  body: unknown;
}

/** The HTTP answer for an error of the gateway itself. */
export function refusalOf(thrown: unknown): HttpRefusal {
  const rendered = renderError(thrown, "otlp", "POST");
  const after = rendered.headers["retry-after"];
  return {
    status: rendered.status,
    retryAfterSeconds: after === undefined ? null : Number(after),
    body: rendered.body,
  };
}

/**
 * The gRPC status that makes an exporter behave as with the HTTP answer (otlp 3): UNAVAILABLE with RetryInfo is
 * retried; RESOURCE_EXHAUSTED without it is dropped, so it is used for errors that a retry cannot fix: too large, or the
 * daily quota.
 */
export function toGrpcStatus(refusal: HttpRefusal): StatusObject {
  const { error, message } = (typeof refusal.body === "object" && refusal.body !== null ? refusal.body : {}) as Record<
    string,
    unknown
  >;
  const details = String(message ?? error ?? "The export was not stored.");
  const code = codeOf(refusal.status, error !== undefined);
  const metadata = new Metadata();
  if (code === status.UNAVAILABLE) {
    metadata.set("grpc-status-details-bin", encodeRetryStatus(code, details, refusal.retryAfterSeconds ?? 2));
  }
  return { code, details, metadata };
}

/** Of the 429s only the quota's has the `{ error }` envelope (interface: Errors, OTLP endpoint). */
function codeOf(httpStatus: number, hasErrorEnvelope: boolean): status {
  if (httpStatus === 429) return hasErrorEnvelope ? status.RESOURCE_EXHAUSTED : status.UNAVAILABLE;
  return codes[httpStatus] ?? status.UNAVAILABLE;
}

const codes: Readonly<Record<number, status>> = {
  400: status.INVALID_ARGUMENT,
  401: status.UNAUTHENTICATED,
  403: status.PERMISSION_DENIED,
  408: status.DEADLINE_EXCEEDED,
  413: status.RESOURCE_EXHAUSTED,
  415: status.INVALID_ARGUMENT,
};

const retryInfoType = Buffer.from("type.googleapis.com/google.rpc.RetryInfo");

/** A `google.rpc.Status` { code, message, details: [Any of RetryInfo { retryDelay: Duration { seconds } }] }. */
function encodeRetryStatus(code: number, message: string, seconds: number): Buffer {
  const duration = Buffer.from([0x08, ...varint(seconds)]);
  const retryInfo = field(1, duration);
  const any = Buffer.concat([field(1, retryInfoType), field(2, retryInfo)]);
  return Buffer.concat([Buffer.from([0x08, ...varint(code)]), field(2, Buffer.from(message)), field(3, any)]);
}

function field(number: number, content: Buffer): Buffer {
  return Buffer.concat([Buffer.from([(number << 3) | 2, ...varint(content.length)]), content]);
}

function varint(value: number): number[] {
  const bytes: number[] = [];
  let rest = value;
  for (; rest > 0x7f; rest >>>= 7) bytes.push((rest & 0x7f) | 0x80);
  return [...bytes, rest];
}
