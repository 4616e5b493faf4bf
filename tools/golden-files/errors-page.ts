import { type ErrorCode, type ErrorKind, errorKinds, readRetryAfterSeconds } from "@touchstone/contracts";
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
  invalid_origin: {
    when: "A browser page of another origin would use a session, or sign in or up.",
    todo: "Set SERVICE_PUBLIC_URL or SERVICE_TRUSTED_ORIGINS.",
  },
  not_found: { when: "The thing does not exist in the key's project.", todo: "Check the id and the key." },
  route_not_found: { when: "There is no such address.", todo: "Check the path; routes begin with /api/v1." },
  method_not_allowed: { when: "The address exists with other methods; `Allow` lists them.", todo: "Use one of them." },
  request_timeout: { when: "The request did not arrive completely in time.", todo: "Retry." },
  conflict: {
    when: "The thing's state does not allow it, such as results for a finished run.",
    todo: "Read its state.",
  },
  gone: {
    when: "The thing had a time to live, and it is over: a CI run after two hours, an invitation after seven days.",
    todo: "Start a new one, or ask for one.",
  },
  body_too_large: { when: "The body is over the limit, on the wire or inflated.", todo: "Send less at once." },
  unsupported_media_type: { when: "The content type, charset or encoding is not supported.", todo: "Change it." },
  trace_invalid: { when: "The trace has wrong fields; `details.fieldErrors` names each.", todo: "Correct them." },
  unprocessable: {
    when: "The request is sound, and there is nothing it could be done with, such as a gate on a dataset without runs.",
    todo: "The sentence says what is missing.",
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
    when: "A fault nobody foresaw; the log has it under the request id.",
    todo: "Retry with backoff; report it.",
  },
  store_unavailable: {
    when: "The database is away or its disk is full.",
    todo: "Retry after `Retry-After`: see below for what may have been stored.",
  },
  service_unavailable: {
    when: "A part of the system is away, or was not done in time; or the project's share of it is used up, as the message then says ([fair shares](fair-shares.md)).",
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

Every way a call can fail on purpose. The code is the \`outcome\` of the request's log line; clients see the status, the
body and \`x-request-id\`, under which the log has the cause.

${markdownTable(["Status", "Code", "Body", "Retry-After", "When", "What to do"], rows)}

On the OTLP routes a full queue, a rate limit and every 503 answer \`{ message }\`, and a fault nobody foresaw is a 503 instead of a
500, because exporters retry the one and drop the export on the other. A rate limit's 429 carries \`RateLimit\` and
\`RateLimit-Policy\` (draft 7). A 503 of a GET says \`Retry-After: ${readRetryAfterSeconds}\`: who only reads can wait.

## What was refused

\`GET /api/v1/agent-monitoring/ingest-health?window=24h\` (\`1h\`, \`24h\`, \`7d\` or \`30d\`) shows what became of a project's requests with traces,
OTLP traces and logs, and imports: how many were accepted, how many were refused with each of these codes, when that happened last, and
where it helps an example of the answer. \`parts\` counts the spans, log records and lines of accepted requests that were rejected, and
\`hours\` has the figures of each hour. The dashboard shows them on the overview.

Each gateway counts in memory and stores its counts every 30 seconds, when they are read, and when it stops. Counts of other gateways are
therefore up to 30 seconds late, and a gateway that is killed loses what it has not stored. Counts are kept for 31 days. Requests with an
unknown key belong to no project and are not counted;
[decision 44](../decisions/0044-count-refused-requests-at-the-gateway-and-keep-the-counts-in-ingest.md) lists what else is not.

## Sending again

Safe to retry, with growing pauses and honouring \`Retry-After\`: 500, 503, and the 429s of a full queue or a rate limit.

| Answer | What was stored |
| --- | --- |
| 4xx, every 429 among them | Nothing; of an import what its tally says, of a run that ended while a batch was judged what was judged by then. |
| 500, 503 | Nothing that is half done: a request is one transaction, which is rolled back. Of a batch of results: those that were judged, each whole. |
| 503 or no answer, when a connection or a process was lost, or a deadline passed, between the commit and its answer | Perhaps all of it; nobody can tell. The same holds for the words "not stored" of a 503 of ingest. |

The last case is rare, and what comes of it depends on what is sent again:

- It stays one: traces and exports with span ids, imports, results (by \`idempotencyKey\`) and results of CI runs, finalize and
  analyze, prompts (the same text is no new version), cases without \`dedupe: false\`, everything that is PUT, PATCH or DELETE.
- It is refused as known: tool schemas and sign-ups, whose names and addresses are unique.
- It may be there twice: a trace without a span id, and whatever else a POST makes, such as a dataset, a run, an evaluated trace or
  a project. Where a second one matters, read the list before sending again.

A judge that cannot be reached, or whose quota is spent, is no error: the result is stored as \`skipped\` with the reason.
`;
}
