import { type ErrorCode, type ErrorKind, errorKinds, readRetryAfterSeconds } from "@touchstone/contracts";
import { markdownTable } from "./markdown-table.ts";

/** When each code occurs and what a client should do. A code without a row here does not compile. */
const meanings: Record<ErrorCode, { when: string; todo: string }> = {
  bad_request: { when: "A field or a parameter is missing or wrong; the message names it.", todo: "Correct it." },
  body_unreadable: {
    when: "The body is not valid JSON or UTF-8, does not match its content encoding, or has more JSON values or members than the route takes.",
    todo: "Correct it.",
  },
  unauthorized: { when: "The key, session or token is missing or wrong.", todo: "Send a valid key." },
  forbidden: {
    when: "The key has no access to the workspace or agent that the request names.",
    todo: "Use that project's key.",
  },
  host_refused: {
    when: "The host name or the browser origin is not allowed.",
    todo: "Set SERVICE_PUBLIC_URL, SERVICE_ALLOWED_HOSTS or SERVICE_TRUSTED_ORIGINS.",
  },
  invalid_origin: {
    when: "A browser page of another origin tried to use a session, to sign in or to sign up.",
    todo: "Set SERVICE_PUBLIC_URL or SERVICE_TRUSTED_ORIGINS.",
  },
  not_found: { when: "The object does not exist in the key's project.", todo: "Check the id and the key." },
  route_not_found: { when: "The address does not exist.", todo: "Check the path; routes begin with /api/v1." },
  method_not_allowed: { when: "The address exists with other methods; `Allow` lists them.", todo: "Use one of them." },
  request_timeout: { when: "The request did not arrive completely in time.", todo: "Retry." },
  conflict: {
    when: "The state of the object does not allow it, such as results for a finished run.",
    todo: "Read the state of the object.",
  },
  gone: {
    when: "The object has expired: a CI run after two hours, an invitation after seven days.",
    todo: "Start a new run, or ask for a new invitation.",
  },
  body_too_large: { when: "The body is over the limit, on the wire or inflated.", todo: "Send less in one request." },
  unsupported_media_type: { when: "The content type, charset or encoding is not supported.", todo: "Change it." },
  trace_invalid: { when: "The trace has wrong fields; `details.fieldErrors` names each.", todo: "Correct them." },
  unprocessable: {
    when: "The request is valid but cannot be carried out, such as a gate on a dataset without runs.",
    todo: "The message names what is missing.",
  },
  rate_limited: {
    when: "Too many requests from this address or key, or too many open streams of the project or organization; the message says which.",
    todo: "Retry after `Retry-After`; close streams that are not read.",
  },
  queue_full: {
    when: "The ingest queue is full, or the project's share of it; nothing was stored.",
    todo: "Retry after `Retry-After`; a span id keeps the retry idempotent.",
  },
  trace_quota_spent: {
    when: "The project's daily trace quota is spent; nothing was stored.",
    todo: "Wait for midnight UTC; an earlier retry does not help.",
  },
  head_too_large: {
    when: "The address and the headers of the request are over the limit together.",
    todo: "Send shorter parameters, or fewer headers.",
  },
  internal: {
    when: "An unexpected error; the log has it under the request id.",
    todo: "Retry with backoff; report it.",
  },
  store_unavailable: {
    when: "The database is unavailable or its disk is full.",
    todo: "Retry after `Retry-After`: see below for what may have been stored.",
  },
  service_unavailable: {
    when: "A part of the system is unavailable or did not finish in time, or the project's share of it is used up; the message then says so ([fair shares](fair-shares.md)).",
    todo: "Retry after `Retry-After`: see below.",
  },
};

const envelopes: Record<ErrorKind["envelope"], string> = {
  error: "`{ error }`",
  global: "`{ statusCode, message }`",
  account: "`{ message, code }`",
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

All errors of the API. The code is the \`outcome\` in the log line of the request. Clients see the status, the body and
\`x-request-id\`; the log has the cause under that id.

${markdownTable(["Status", "Code", "Body", "Retry-After", "When", "What to do"], rows)}

On the OTLP routes a full queue, a rate limit and every 503 have the body \`{ message }\`. An unexpected error is a 503 there instead of
a 500, because exporters retry a 503 and drop the export after a 500. The 429 of a rate limit has the headers \`RateLimit\` and
\`RateLimit-Policy\` (draft 7). A 503 of a GET has \`Retry-After: ${readRetryAfterSeconds}\`, because a read can wait longer,
or 1 if too many large answers are being sent.

## What was refused

\`GET /api/v1/agent-monitoring/ingest-health?window=24h\` (\`1h\`, \`24h\`, \`7d\` or \`30d\`) shows the outcome of a project's requests with traces, span updates,
OTLP traces and logs, and imports: how many were accepted, how many were refused with each of these codes, when that happened last, and,
if it helps, an example of the answer. \`parts\` counts the spans, log records and lines of accepted requests that were rejected, and
\`hours\` has the figures of each hour. The dashboard shows them on the overview.

Each gateway counts in memory and stores its counts every 30 seconds, when they are read, and when it stops. Counts of other gateways are
therefore up to 30 seconds late, and a gateway that is killed loses what it has not stored. Counts are kept for 31 days. Requests with an
unknown key belong to no project and are not counted;
[decision 44](../decisions/0044-count-refused-requests-at-the-gateway-and-keep-the-counts-in-ingest.md) lists other exceptions.

## Sending again

You can safely retry a 500, a 503, and the 429 of a full queue or a rate limit. Use growing pauses and honour \`Retry-After\`.

| Answer | What was stored |
| --- | --- |
| 4xx, including every 429 | Nothing. Exceptions: an import stored what its answer counts, and a run that ended while a batch was being judged has the results judged until then. |
| 500, 503 | Nothing: a request is one transaction, which is rolled back. Exception: of a batch of results, those that were already judged are stored. |
| 503 or no answer, if a connection or a process was lost, or a deadline passed, between the commit and its answer | Possibly everything. The client cannot know, even if a 503 of ingest says "not stored". |

The last case is rare. What happens when you send the request again depends on it:

- No duplicate: traces and exports with span ids, imports, results (by \`idempotencyKey\`) and results of CI runs, finalize and
  analyze, prompts (the same text creates no new version), cases without \`dedupe: false\`, and every PUT, PATCH or DELETE.
- Refused as a duplicate: tool schemas and sign-ups, because names and addresses are unique.
- A possible duplicate: a trace without a span id, and any other object created by a POST, such as a dataset, a run, an evaluated trace
  or a project. If a duplicate matters, read the list before you send the request again.

If a judge is unavailable, or its quota is spent, this is not an error: the result is stored as \`skipped\` with the reason.
`;
}
