import { deadlines, limits } from "@touchstone/contracts";
import { markdownTable } from "./markdown-table.ts";

/** The effect of each limit. One without a row here does not compile. */
const atLimit: Record<keyof typeof limits, string> = {
  resultsPerBatchMax: "Results in one batch; more is refused with 400.",
  tracePageDefault: "Traces on a page by default.",
  outlineSpansMax: "Spans in the outline of one trace; those that start last are left out.",
  tracePageMax: "Traces on a page; a larger `limit` is taken as this.",
  toolCallsMax: "Tool calls kept of one submitted trace; the excess is dropped silently.",
  ratingMin: "Lowest rating.",
  ratingMax: "Highest rating.",
  lowScoringRatingMax: "A result rated at or below this is a low-scoring case of its report.",
  ratingBars: "Bars of a histogram of ratings.",
  requestHeadMaxBytes: "The address and all headers of a request together; more is 431.",
  internalHeadMaxBytes: "The same between services; what the gateway accepts always fits.",
  jsonBodyMaxBytes: "A JSON body, on the wire and inflated; more is 413.",
  mcpBodyMaxBytes: "A message of the Model Context Protocol; more is 413.",
  jsonValuesMax: "Members and items of a JSON body, at all levels, except of a trace; more is 400.",
  judgeTextMaxChars: "The criteria and the prompt of a judge together; more is 400.",
  liveScorersMaxBytes:
    "The documents of a project's live judges, each counted again for every live group that has it; a change that makes them larger is 400.",
  runGradersMaxChars: "The documents of the graders that a run names; more is 400.",
  jsonNamesMax: "Members of a JSON body, at all levels, where no other limit is named; more is 400.",
  batchNamesMax:
    "The same of a batch of results, scores or span updates. Bodies of datasets, of cases and of traces have no such limit.",
  langfuseNamesMax:
    "The same of a batch of events or scores of a client of Langfuse; one event or score has at most `batchNamesMax` of them.",
  mcpNamesMax: "The same of a message of the Model Context Protocol; more is 400.",
  jsonMembersMax:
    "Members of the body of a trace, of its metadata and of one tool call, and tool calls; more is 400. The contents of input and output are not counted.",
  accountBodyMaxBytes: "The body of a sign-in, a sign-up or a similar request; more is 413.",
  otlpBodyMaxBytes: "An OTLP export, on the wire and inflated; more is 413.",
  smallBodyMaxBytes: "A small body. Memory is reserved for small bodies, so large ones never block them.",
  ingestBodiesMaxBytes:
    "Bodies of one project in memory in an ingest process: on the wire, inflated and decoded; an eighth more for all projects together ([fair shares](fair-shares.md)). A quarter is reserved for small bodies. A large body waits for a second; then it is answered 429 with `Retry-After: 1` before it is read.",
  gatewayBodiesMaxBytes:
    "The same in a gateway, which holds at most 1 MiB of a body; more is 429 on routes of ingest, else 503.",
  otherBodiesMaxBytes: "The same in every other service; more is 503 with `Retry-After: 1`.",
  answersMaxBytes:
    "Answers over 64 KiB in memory in one server; three quarters of it are used. A further answer waits for 5 s; then it is 503 with `Retry-After: 1`.",
  importBodyMaxBytes: "One import of traces, on the wire; split a longer file.",
  importInflatedMaxBytes: "The same inflated; more is 413, and the lines before remain stored.",
  importReasonsMax: "Bad lines of an import that the answer lists.",
  exportPageRows: "Rows of an export that are read at once.",
  listBytesMax:
    'Bytes of a page of a list. A page that would be longer ends early with `truncatedBy: "bytes"`, and the next page continues; a page has at least one item.',
  listRowsMax:
    "Rows of a page of a list of datasets, grading configs, prompts or tool schemas; the next page continues.",
  versionsListedMax: "Versions of one dataset, grading config or tool schema on a page, the newest first.",
  projectDeletionsPerWindowMax: "Deletions of projects from one client address in 15 minutes; more is 429.",
  traceNameMaxChars: "A trace's name; longer is 422.",
  frameworkMaxChars: "A framework label; the rest is cut.",
  indexedTextMaxChars: "A session id, span id and other indexed texts.",
  jsonDepthMax: "Levels of nesting in any-JSON fields; deeper is 422.",
  otlpDepthMax: "Levels of nesting in an OTLP attribute; deeper levels are cut, with a warning.",
  otlpAttributesMax:
    "Attributes of a span, a log record, an event, a link or a resource with different names; with more the span or record is rejected, and the rest of the export is stored.",
  otlpEventsMax: "Events of a span; with more it is rejected.",
  otlpLinksMax: "Links of a span; with more it is rejected.",
  otlpValuesMax:
    "Attributes, items of lists, members, events and links of one span or log record, at all levels, or members and items of JSON over 16 KiB; with more it is rejected.",
  otlpExportValuesMax: "The same of a whole export; spans and records beyond are rejected.",
  otlpResourceMaxBytes: "A resource or scope of an export; with more its spans and records are rejected.",
  otlpResourceValuesMax:
    "Values of a resource or scope, counted as of a span; with more its spans and records are rejected.",
  otlpItemsMax: "Spans, log records or metrics of one export; more is 400.",
  spanUpdatesMax: "Updates of spans in one request; more is 400.",
  spanUpdateAttributesMax:
    "Attributes of one update of a span, and of all updates of the span together; an update with more is not stored, and the others are.",
  spanUpdateValuesMax: "The same with the members and items of their values.",
  langfuseEventsMax: "Events in one batch, and scores in one list, of a client of Langfuse; more is 400.",
  otlpEnvelopesMax: "Resources, scopes and lists of one export; more is 400.",
  timestampAheadMaxMs: "How far in the future a `timestamp` may be; a later one is replaced by the current time.",
  searchTermMaxChars: "A search term; the rest is cut.",
  searchDocMaxChars: "Text of one trace that search reads; the rest of a long error, input or output is not found.",
  streamsPerProjectMax: "Live streams of a project at one replica of a service; more is 429.",
  streamsMax:
    "Streams and exports open at one gateway, and streams at one replica of a service, of all tenants ([fair shares](fair-shares.md)).",
  exportsMax: "Exports open at one replica of a service, of all tenants.",
  exportsPerProjectMax: "Exports of a project open at one replica of a service; more is 429.",
  streamBacklogMaxBytes: "Data that may wait for the reader of a live stream; then the stream is closed.",
  streamResumeMaxMs: "How long a reader of a live stream may be disconnected without missing an event.",
  sessionsListedMax: "Sessions in the overview, the newest.",
  agentsListedMax: "Agents on a page of the list.",
  modelPricesMax: "Models a project may add to the price catalogue.",
  ingestQueueMaxRows:
    "Spans of one project waiting for a commit; more is 429 with `Retry-After: 1`. All projects together may use 1.5 times as many ([fair shares](fair-shares.md)).",
  ingestQueueMaxBytes: "Bytes of one project waiting for a commit; more is 429 with `Retry-After: 1`.",
  promptVersionsListedMax: "Versions of a prompt whose traces are counted in one answer, those used last.",
  registryNameMaxChars: "Longest name of a prompt or a tool schema",
  datasetNameMaxChars: "Longest name of a dataset on the paths of other systems' clients.",
  promptLabelsMax: "Labels of a prompt, over all its versions; more is 400.",
  promptTagsMax: "Tags of a prompt; more is 400.",
  peerRunItemsMax: "Items that `GET /api/public/datasets/{name}/runs/{runName}` shows, the newest.",
  peerItemMediaMax: "Media of dataset items that one answer to Langfuse's clients has addresses of.",
  peerPageMax: "Rows of a page on the paths of other systems' clients; a larger `limit` counts as this.",
  datasetRequestsMax: "Repetitions per question of a dataset.",
  variantsPerCaseMax: "Paraphrases that one case asks for.",
  casesPerRequestMax: "Cases in one request that adds cases to a dataset; more is 400.",
  importedCasesMax: "Rows of a file that is imported as a dataset; more is 400.",
  comparedCasesMax: "Newest cases with which a new one is compared by meaning.",
  datasetPageDefault: "Dataset summaries on a page by default.",
  datasetPageMax: "Dataset summaries on a page at most.",
  runPageDefault: "Runs on a page by default.",
  runPageMax: "Runs on a page at most.",
  resultPageDefault: "Results of a run on a page by default.",
  resultPageMax: "Results of a run on a page at most.",
  missingQuestionsMax: "Missing results of a run that come with their question at most.",
  gitContextMaxBytes: "The git context of a CI run, as JSON; more is 400.",
  ciAgentNameMaxChars: "The agent's name of a CI run; longer is 400.",
  additionalScorersMax: "Judge scorers of a run besides the primary one.",
  codeScorersMax: "Code scorers of a dataset or a grading config; more is 400.",
  groupMembersMax: "Members of a scorer group; more is 400.",
  groupScorersMaxBytes:
    "The conditions, scripts and addresses of a scorer group's patterns and custom scorers; a group or a run with more is 400.",
  graderNameMaxChars: "Longest name of a grading config or a scorer group.",
  verdictPromptMaxChars: "Text of the prompt in the record behind a verdict; the rest is cut.",
  verdictReplyMaxChars: "The same for the reply and for each criterion.",
  gradersMax: "Grading configs of a project, and scorer groups; a further one is 400.",
  invitationsPendingMax: "Invitations of an organization that can still be accepted; a further one is 409.",
  membersListedMax: "Members in the list of an organization.",
  accountSessionsListedMax: "Sessions that the list of an account shows, the newest first.",
  auditPageDefault: "Events of an organization's audit log in one answer by default.",
  auditPageMax: "Events of an organization's audit log in one answer at most; a larger `limit` is 400.",
  onlineAgentsMax: "Agents to which a live scorer can be limited.",
  patternsMax: "Patterns of one project.",
  enabledPatternsMaxBytes:
    "The documents of a project's enabled patterns, whose conditions repeat their terms; a change that makes them larger is 400.",
  patternConditionsMax: "Conditions sent with a pattern.",
  patternTermsMax: "Terms a pattern includes, and terms it excludes.",
  patternTextMaxChars: "A pattern's description, term, value or semantic prompt.",
  checkedTextMaxChars:
    "Text that patterns read from one text of a trace. If a text is longer, the finding or the check's reason says so.",
  regexMaxChars: "A pattern's regex.",
  regexInstructionsMax: "Instructions a pattern's regex may compile to.",
  matchedTextMaxChars: "Text that a regex, or the judge of a semantic condition, reads from one text.",
  triedTracesMax: "Traces on which a pattern can be tried before it is saved.",
  triedTracesDefault: "The same by default.",
  judgedTrialsMax: "Of these, traces about which a judge is asked.",
  customEvaluatorsMax: "Custom scorers of a project.",
  enabledCustomEvaluatorsMaxBytes:
    "The documents of a project's enabled custom scorers; a change that makes them larger is 400.",
  customEvaluatorUrlMaxChars: "Characters of an external scorer's address.",
  customEvaluatorScriptMaxChars: "Characters of a custom scorer's script.",
  profileChannelsMax: "Channels of a monitoring profile.",
  profileObjectMaxChars: "`thresholdOverrides` and `approvalPolicy` of a monitoring profile, each as JSON.",
  signalPageDefault: "Signals in a list by default.",
  signalPageMax: "Most signals in a list.",
  signalOccurrencesKept: "Newest occurrences of one signal that are kept.",
  webhooksMax: "Webhooks of one project.",
  alertRulesMax: "Alert rules of one project.",
  alertTrialDaysMax: "Days of traffic on which an alert rule can be tried before it is saved.",
  alertTrialRowsMax: "Newest traces or ratings on which an alert rule is tried.",
  webhookDeliveriesPendingMax:
    "Undelivered messages of a project to webhooks and channels; further messages are dropped.",
  webhookDeliveryPageDefault: "Webhook deliveries in a list by default.",
  webhookDeliveryPageMax: "Most webhook deliveries in a list.",
  feedbackTextMaxChars:
    "Characters of a comment on a trace, of an outcome's reason, and of a score's comment or text value.",
  feedbackNameMaxChars: "Characters of an outcome's name, of the ids it refers to, and of its author.",
  feedbackListedMax: "Votes in a list, of one trace or of all.",
  feedbackPageDefault: "Votes on all traces in a list by default.",
  scoresPerRequestMax: "Scores in one request; more is 400.",
  scorePageDefault: "Scores in a list by default.",
  scorePageMax: "Most scores in a list.",
  scoresShownMax: "Newest scores in the detail of a trace or session; `GET /scores` lists all.",
  scoreNameMaxChars: "Characters of a score's id, name and author.",
  scoreMetadataMaxChars: "Characters of a score's metadata, as JSON.",
  mediaMaxBytes: "The content of one image, recording or file of a trace.",
  mediaTypeMaxChars: "Characters of its media type.",
  mediaUploadsMaxBytes:
    "Content of media that one process receives for one project at a time. What is too much is answered 429.",
  mediaUploadMs: "How long the address for an upload of media works.",
  mediaReadMs: "How long the address of the content of media works.",
  mediaUnnamedMs: "How long media are kept that no stored trace has.",
};

const atDeadline: Record<keyof typeof deadlines, string> = {
  llmCallMs: "One call of a judge's model.",
  resultMs: "One result, with its retries and repairs; then it is `skipped`.",
  batchMs: "One batch of results; unfinished results are `skipped`.",
  gatewayScoringHopMs: "How long the gateway waits for a scored batch.",
  gatewayHopMs: "How long the gateway waits for any other answer; then 503.",
  answerRoomMs: "How long a large answer waits for memory; then 503.",
  keyLookupMs: "One look-up of a key.",
  closeProjectsMs: "How long deleting a project waits for each service to stop storing in it.",
  patternMs:
    "One pattern on one trace; then its computation is ended. A live check is tried once more; then it ends with the reason `timeout`.",
  patternsMs: "All patterns on one trace; the remaining ones then count as timed out.",
  traceReadMs: "One request of eval-runs to ingest for recorded traffic.",
};

/** `docs/operating/limits.md`: every number that a client or an operator can encounter. */
export function renderLimitsPage(): string {
  const rows = (values: Readonly<Record<string, number>>, texts: Readonly<Record<string, string>>) =>
    Object.entries(values).map(([name, value]) => [withUnit(name, value), texts[name] ?? "", `\`${name}\``]);
  return `# Limits

${markdownTable(["Value", "What it bounds", "Name"], rows(limits, atLimit))}

## Deadlines

Each inner deadline is shorter than the outer one, so that the inner call answers before the outer one ends.

${markdownTable(["Value", "What it bounds", "Name"], rows(deadlines, atDeadline))}

Limits that an operator can change, such as rate limits, are in [settings.md](settings.md).
`;
}

function withUnit(name: string, value: number): string {
  if (name.endsWith("Bytes") && value < 1024 * 1024) return `${value / 1024} KiB`;
  if (name.endsWith("Bytes")) return `${value / 1024 / 1024} MiB`;
  if (name.endsWith("Ms")) return `${value / 1000} s`;
  if (name.endsWith("Chars")) return `${value} characters`;
  return String(value);
}
