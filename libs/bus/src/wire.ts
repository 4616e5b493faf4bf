import { headers as createHeaders, type MsgHdrs } from "@nats-io/transport-node";
import { type ErrorCode, errorKinds } from "@touchstone/contracts";
import { isAppError } from "@touchstone/service-kit";
import { z } from "zod";

/** The headers of the bus. `traceparent` is W3C Trace Context; two names are defined by NATS. */
export const header = {
  /** The same on every attempt of one request. */
  requestId: "Touchstone-Request-Id",
  /** Milliseconds that the request still has, so that the clocks of hosts need not agree (decision 64). */
  remainingMs: "Touchstone-Remaining-Ms",
  /** The deadline by the requester's clock, in epoch milliseconds: for members that do not know `remainingMs`. */
  deadlineAtMs: "Touchstone-Deadline-Ms",
  /** The kind of a message about a request, see {@link Signal}. */
  signal: "Touchstone-Signal",
  /** The publisher's id of an event; dead letters and replays keep it. */
  messageId: "Touchstone-Message-Id",
  /** The reason for a dead letter, and the number of tries. */
  reason: "Touchstone-Reason",
  attempts: "Touchstone-Attempts",
  traceparent: "traceparent",
  natsMessageId: "Nats-Msg-Id",
  natsExpectedStream: "Nats-Expected-Stream",
} as const;

/** The attribute of a traced message. */
export const onNats = { "messaging.system": "nats" } as const;

/**
 * Messages about a request. A member sends `busy`, or `accepted` and then `working` every second until one of the
 * outcomes `replied`, `failed`, `too_large` or `expired`, or `handed_back` when it stops before it is done. The
 * requester sends `cancel`.
 */
export const signals = [
  "accepted",
  "working",
  "busy",
  "handed_back",
  "replied",
  "failed",
  "too_large",
  "expired",
  "cancel",
] as const;
export type Signal = (typeof signals)[number];

/** The body of `failed`: the only parts of an error that are sent. The cause never is. */
export const failure = z.object({
  code: z.enum(Object.keys(errorKinds) as [ErrorCode, ...ErrorCode[]]),
  message: z.string(),
  retryAfterSeconds: z.number().nonnegative().nullable(),
});
export type Failure = z.infer<typeof failure>;

/** The body of `too_large`: the size of the reply that could not be sent, and the server's limit. */
export const oversize = z.object({ bytes: z.number(), limit: z.number() });

/** The parts of a thrown value that may be sent: an expected error without its cause; of a bug only its occurrence. */
export function failureOf(thrown: unknown): Failure {
  if (!isAppError(thrown)) return { code: "internal", message: "Internal error", retryAfterSeconds: null };
  return { code: thrown.code, message: thrown.message, retryAfterSeconds: thrown.retryAfterSeconds ?? null };
}

/** A message ready to be sent. `bytes` is the size that the server compares with `max_payload`: body and headers. */
export interface Encoded {
  data: Uint8Array;
  headers: MsgHdrs;
  bytes: number;
}

const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { fatal: true });
const emptyBody = new Uint8Array();
// "NATS/1.0\r\n" before the headers and "\r\n" after them.
const headerFrameBytes = 12;

/** Encodes a JSON body (none: an empty message) with those headers that are not null. */
export function encodeMessage(fields: Record<string, string | null>, body?: unknown): Encoded {
  return encodeText(fields, body === undefined ? "" : JSON.stringify(body));
}

/** Like {@link encodeMessage}, for a body whose JSON is known. */
export function encodeText(fields: Record<string, string | null>, text: string): Encoded {
  return encodeBytes(fields, text === "" ? emptyBody : encoder.encode(text));
}

/** Like {@link encodeMessage}, for a body that is passed on unchanged. */
export function encodeBytes(fields: Record<string, string | null>, data: Uint8Array): Encoded {
  const headers = createHeaders();
  let bytes = data.length + headerFrameBytes;
  for (const [name, value] of Object.entries(fields)) {
    if (value === null) continue;
    headers.set(name, value);
    // "name: value\r\n"
    bytes += Buffer.byteLength(name) + Buffer.byteLength(value) + 4;
  }
  return { data, headers, bytes };
}

/** A header's value; null when it is absent or empty. */
export function readHeader(headers: MsgHdrs | undefined, name: string): string | null {
  return headers?.get(name) || null;
}

/** The signal of a message; null if it has none of ours. */
export function readSignal(headers: MsgHdrs | undefined): Signal | null {
  const value = readHeader(headers, header.signal);
  return signals.find((signal) => signal === value) ?? null;
}

/** Whether this is the server's no-responders notice. */
export function isNobodyThere(message: { data: Uint8Array; headers?: MsgHdrs }): boolean {
  return message.data.length === 0 && message.headers?.code === 503;
}

/** Decodes and checks a JSON body; `problem` describes the error in one line, without quoting the body. */
export function decodeBody<Schema extends z.ZodType>(
  schema: Schema,
  data: Uint8Array,
): { ok: true; body: z.output<Schema> } | { ok: false; problem: string; cause: unknown } {
  let json: unknown;
  try {
    json = JSON.parse(decoder.decode(data));
  } catch (cause) {
    return { ok: false, problem: "not JSON in UTF-8", cause };
  }
  const parsed = schema.safeParse(json);
  if (parsed.success) return { ok: true, body: parsed.data };
  const problems = parsed.error.issues.slice(0, 5).map((issue) => `${issue.path.join(".") || "(body)"}: ${issue.code}`);
  return { ok: false, problem: problems.join(", "), cause: parsed.error };
}
