import { deadlines, limits } from "@touchstone/contracts";
import { markdownTable } from "./markdown-table.ts";

/** What happens at each limit. One without a row here does not compile. */
const atLimit: Record<keyof typeof limits, string> = {
  resultsPerBatchMax: "Results in one batch; more is refused with 400.",
  tracePageDefault: "Traces on a page when the request does not say.",
  tracePageMax: "Traces on a page; a larger `limit` is taken as this.",
  toolCallsMax: "Tool calls kept of one submitted trace; the excess is dropped silently.",
  ratingMin: "Lowest rating.",
  ratingMax: "Highest rating.",
  lowScoringRatingMax: "A result rated at or below this is a low-scoring case of its report.",
  jsonBodyMaxBytes: "A JSON body, on the wire and inflated; more is 413.",
  otlpBodyMaxBytes: "An OTLP export, on the wire and inflated; more is 413.",
  importBodyMaxBytes: "One import of traces, on the wire; a longer file is sent in pieces.",
  importInflatedMaxBytes: "The same inflated; more is 413, and the lines before stay stored.",
  importReasonsMax: "Lines of an import whose mistakes are told.",
  exportPageRows: "Rows of an export that are read at once.",
  traceNameMaxChars: "A trace's name; longer is 422.",
  frameworkMaxChars: "A framework label; the rest is cut.",
  indexedTextMaxChars: "A session id, span id and other indexed texts.",
  jsonDepthMax: "Levels of nesting in any-JSON fields; deeper is 422.",
  otlpDepthMax: "Levels of nesting in an OTLP attribute; what lies below is cut, with a warning.",
  timestampAheadMaxMs: "How far in the future a `timestamp` may lie before it counts as now.",
  searchTermMaxChars: "A search term; the rest is cut.",
  searchDocMaxChars: "What search reads of one trace; what lies beyond in a long error, input or output is not found.",
  streamsPerProjectMax: "Live streams of a project at one ingest replica; more is 429.",
  streamBacklogMaxBytes: "What may wait for the reader of a live stream; then it is closed.",
  streamResumeMaxMs: "How long a reader of a live stream may be away and miss nothing.",
  sessionsListedMax: "Sessions in the overview, the newest.",
  agentsListedMax: "Agents in the list.",
  modelPricesMax: "Models a project may add to the price catalogue.",
  ingestQueueMaxRows: "Spans waiting for a commit; more is 429 with `Retry-After: 1`.",
  ingestQueueMaxBytes: "Bytes waiting for a commit; more is 429 with `Retry-After: 1`.",
  datasetRequestsMax: "Repetitions per question of a dataset.",
  additionalScorersMax: "Judge scorers of a run besides the primary one.",
};

const atDeadline: Record<keyof typeof deadlines, string> = {
  llmCallMs: "One call of a judge's model.",
  resultMs: "One result, with its retries and repairs; then it is `skipped`.",
  batchMs: "One batch of results; what is unfinished is `skipped`.",
  gatewayScoringHopMs: "How long the gateway waits for a scored batch.",
  gatewayHopMs: "How long the gateway waits for any other answer; then 503.",
  keyLookupMs: "One look-up of a key.",
};

/** `docs/operating/limits.md`: every number a client or an operator can run into. */
export function renderLimitsPage(): string {
  const rows = (values: Readonly<Record<string, number>>, texts: Readonly<Record<string, string>>) =>
    Object.entries(values).map(([name, value]) => [withUnit(name, value), texts[name] ?? "", `\`${name}\``]);
  return `# Limits

${markdownTable(["Value", "What it bounds", "Name"], rows(limits, atLimit))}

## Deadlines

Each is shorter than the one it lies within, so the inner one answers before the outer one gives up.

${markdownTable(["Value", "What it bounds", "Name"], rows(deadlines, atDeadline))}

Limits an operator can change, rate limits among them, are in [settings.md](settings.md).
`;
}

function withUnit(name: string, value: number): string {
  if (name.endsWith("Bytes")) return `${value / 1024 / 1024} MiB`;
  if (name.endsWith("Ms")) return `${value / 1000} s`;
  if (name.endsWith("Chars")) return `${value} characters`;
  return String(value);
}
