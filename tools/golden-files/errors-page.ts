import { type ErrorCode, type ErrorKind, errorKinds } from "@touchstone/contracts";
import { markdownTable } from "./markdown-table.ts";

/** When each code occurs and what a client does about it. A code without a row here does not compile. */
const meanings: Record<ErrorCode, { when: string; todo: string }> = {
  bad_request: { when: "A field or a parameter is missing or wrong; the message names it.", todo: "Correct it." },
  body_unreadable: { when: "The body is no JSON, no UTF-8, or not what its encoding says.", todo: "Correct it." },
  unauthorized: { when: "The key, session or token is missing or wrong.", todo: "Send a valid key." },
  forbidden: { when: "The key does not reach the workspace or agent the body names.", todo: "Use that project's key." },
  host_refused: {
    when: "The host name or the browser origin is not one the installation answers to.",
    todo: "Set SERVICE_PUBLIC_URL, SERVICE_ALLOWED_HOSTS or SERVICE_TRUSTED_ORIGINS.",
  },
  not_found: { when: "The thing does not exist in the key's project.", todo: "Check the id and the key." },
  route_not_found: { when: "There is no such address.", todo: "Check the path; routes begin with /api/v1." },
  method_not_allowed: { when: "The address exists with other methods; `Allow` lists them.", todo: "Use one of them." },
  request_timeout: { when: "The request did not arrive completely in time.", todo: "Retry." },
  conflict: {
    when: "The thing's state does not allow it, such as results for a finished run.",
    todo: "Read its state.",
  },
  body_too_large: { when: "The body is over the limit, on the wire or inflated.", todo: "Send less at once." },
  unsupported_media_type: { when: "The content type, charset or encoding is not supported.", todo: "Change it." },
  trace_invalid: { when: "The trace has wrong fields; `details.fieldErrors` names each.", todo: "Correct them." },
  rate_limited: { when: "Too many requests from this address or key.", todo: "Retry after `Retry-After`." },
  queue_full: {
    when: "The ingest queue is full; nothing was stored.",
    todo: "Retry after `Retry-After`; a span id keeps the retry idempotent.",
  },
  trace_quota_spent: {
    when: "The project's daily trace quota is spent; nothing was stored.",
    todo: "Wait for midnight UTC; an earlier retry does not help.",
  },
  internal: {
    when: "A fault nobody foresaw; the log has it under the request id.",
    todo: "Retry with backoff; report it.",
  },
  store_unavailable: {
    when: "The database is away or its disk is full; nothing was stored.",
    todo: "Retry after `Retry-After`.",
  },
  service_unavailable: { when: "A part of the system is away.", todo: "Retry after `Retry-After`." },
};

const envelopes: Record<ErrorKind["envelope"], string> = {
  error: "`{ error }`",
  global: "`{ statusCode, message }`",
  validation: "`{ error, details: { fieldErrors, formErrors } }`",
};

/** `docs/operating/errors.md`: every error kind with its status, its body and what to do. */
export function renderErrorsPage(): string {
  const rows = Object.entries<ErrorKind>(errorKinds).map(([code, kind]) => {
    const { when, todo } = meanings[code as ErrorCode];
    const retryAfter = kind.retryAfterSeconds === undefined ? "" : `${kind.retryAfterSeconds} s`;
    return [String(kind.status), `\`${code}\``, envelopes[kind.envelope], retryAfter, when, todo];
  });
  return `# Errors

Every way a call can fail on purpose. The code is the \`outcome\` of the request's log line; clients see the status, the
body and \`x-request-id\`, under which the log has the cause.

${markdownTable(["Status", "Code", "Body", "Retry-After", "When", "What to do"], rows)}

On the OTLP routes a full queue, a rate limit and every 503 answer \`{ message }\`, and a fault nobody foresaw is a 503 instead of a
500, because exporters retry the one and drop the export on the other. A rate limit's 429 carries \`RateLimit\` and
\`RateLimit-Policy\` (draft 7).

Safe to retry, with growing pauses and honouring \`Retry-After\`: 500, 503, and the 429s of a full queue or a rate limit.
A judge that cannot be reached, or whose quota is spent, is no error: the result is stored as \`skipped\` with the reason.
`;
}
