/**
 * Every number of the specification's Limits table, and the bounds we add. Units are in the names. Threads import this file by
 * itself, as `@touchstone/contracts/limits`.
 */
export const limits = {
  /** interface: Limits, results per batch. */
  resultsPerBatchMax: 10,
  /** interface: Limits, trace list page size. */
  tracePageDefault: 50,
  /** Spans in the outline of one trace. */
  outlineSpansMax: 50_000,
  tracePageMax: 100,
  /** interface: Limits, tool calls kept per submitted trace; the excess is silently truncated. */
  toolCallsMax: 50,
  /** interface: Limits, rating scale. */
  ratingMin: 0,
  ratingMax: 10,
  /** interface: Limits, results rated at or below this are low-scoring cases in reports. */
  lowScoringRatingMax: 5,
  /** Bars of a histogram of ratings. */
  ratingBars: 10,
  /** completions 1.2: the address and all headers of a request together. */
  requestHeadMaxBytes: 16 * 1024,
  /**
   * The same between services, where the signed identity repeats the address in base64: any request that the gateway takes
   * fits.
   */
  internalHeadMaxBytes: 64 * 1024,
  /** completions 1.2: inflated size of a JSON body. */
  jsonBodyMaxBytes: 10 * 1024 * 1024,
  /** Members and items of a JSON body at all levels: the smallest take fifty times their bytes once they are parsed. */
  jsonValuesMax: 500_000,
  /** Members of one object, and items of one list, that a trace's body is cut into. What they hold is not looked into. */
  jsonMembersMax: 100_000,
  /** Body of a sign-in, a sign-up and the like. */
  accountBodyMaxBytes: 64 * 1024,
  /** otlp 1, Content-Encoding: size of one export, on the wire and inflated. */
  otlpBodyMaxBytes: 64 * 1024 * 1024,
  /** Bodies up to here are small ones, of which large ones take no room. */
  smallBodyMaxBytes: 64 * 1024,
  /** otlp 1: bodies in hand at once, on the wire, inflated and decoded; a quarter is for small ones alone. */
  ingestBodiesMaxBytes: 256 * 1024 * 1024,
  gatewayBodiesMaxBytes: 128 * 1024 * 1024,
  /** The same of every other service. */
  otherBodiesMaxBytes: 64 * 1024 * 1024,
  /** Answers over 64 KiB that one server is making or sending at once. */
  answersMaxBytes: 256 * 1024 * 1024,
  /** Body of one import of traces, on the wire; a longer file is sent in pieces. */
  importBodyMaxBytes: 256 * 1024 * 1024,
  /** The same inflated: a bomb costs no memory, but time. */
  importInflatedMaxBytes: 1024 * 1024 * 1024,
  /** Lines of an import whose mistakes are told. */
  importReasonsMax: 100,
  /** completions 13, rows of a page of an export. */
  exportPageRows: 500,
  /** Bytes of a page of a list: it ends early, and the next one goes on. One item is always given. */
  listBytesMax: 8 * 1024 * 1024,
  /** Rows of a page of a list that has no page size of its own, and versions of one thing on a page. */
  listRowsMax: 10_000,
  versionsListedMax: 200,
  /** completions 1.3: per client address in 15 minutes. */
  projectDeletionsPerWindowMax: 30,
  /** completions 1.2. */
  traceNameMaxChars: 2000,
  frameworkMaxChars: 64,
  /** Longest value of an indexed text column: a btree entry over 2704 bytes is an error in PostgreSQL. */
  indexedTextMaxChars: 512,
  /** completions 0.2: deepest any-JSON value taken on REST (422 beyond). */
  jsonDepthMax: 128,
  /** otlp 2: deepest attribute value kept; what lies below is truncated with a warning. */
  otlpDepthMax: 32,
  /** Attributes of a span, a log record, an event, a link or a resource. SDKs stop at 128 unless told otherwise. */
  otlpAttributesMax: 65_536,
  otlpEventsMax: 65_536,
  otlpLinksMax: 65_536,
  /** Attributes, items of lists, members, events and links of one span or log record; of JSON every member and item. */
  otlpValuesMax: 1_000_000,
  /** The same of one export: as many as 64 MiB of the smallest attributes. */
  otlpExportValuesMax: 8_388_608,
  /** A resource, a scope, and any other part of an export beside its spans, log records or metrics. */
  otlpResourceMaxBytes: 1024 * 1024,
  otlpResourceValuesMax: 65_536,
  /** Spans, log records or metrics of one export, and the resources, scopes and lists around them. */
  otlpItemsMax: 1_048_576,
  otlpEnvelopesMax: 262_144,
  /** completions 2.1: a `timestamp` further ahead than this is clamped to now. */
  timestampAheadMaxMs: 60_000,
  /** completions 2.3: a longer search term is cut. */
  searchTermMaxChars: 200,
  /** What search reads of one root; the rest of a longer error, input or output is not found. */
  searchDocMaxChars: 64 * 1024,
  /** completions 1.8: open at once, for each project and replica. */
  streamsPerProjectMax: 20,
  /** Streams and exports open at once at a gateway, and streams at each replica behind. */
  streamsMax: 1_000,
  /** Exports open at once at one replica, each of which holds a page; of one project. */
  exportsMax: 100,
  exportsPerProjectMax: 20,
  /** completions 1.8: a reader that is further behind is cut off. */
  streamBacklogMaxBytes: 1024 * 1024,
  /** completions 1.8: a reader that was away for longer begins anew. */
  streamResumeMaxMs: 60 * 60 * 1000,
  /** Rows of the lists that have no pages: the newest sessions; agents and prices of a project. */
  sessionsListedMax: 1000,
  agentsListedMax: 5000,
  modelPricesMax: 1000,
  /** completions 1.5: what may wait for a commit. */
  ingestQueueMaxRows: 10_000,
  ingestQueueMaxBytes: 64 * 1024 * 1024,
  /** Names of prompts and tool schemas. */
  registryNameMaxChars: 200,
  /** completions 3.1. */
  datasetRequestsMax: 20,
  /** Paraphrases asked for of one case. */
  variantsPerCaseMax: 20,
  /** Cases in one request that adds some, and rows of an imported file. */
  casesPerRequestMax: 500,
  importedCasesMax: 10_000,
  /** completions 3.3: existing cases that a new one is compared with by meaning. */
  comparedCasesMax: 100,
  /** Datasets of a page of summaries. */
  datasetPageDefault: 100,
  datasetPageMax: 200,
  /** completions 5.2. */
  runPageDefault: 50,
  runPageMax: 200,
  resultPageDefault: 50,
  resultPageMax: 200,
  /** completions 8.2. */
  gitContextMaxBytes: 16 * 1024,
  ciAgentNameMaxChars: 512,
  /** completions 5.1. */
  additionalScorersMax: 10,
  /** Code scorers of a dataset or grading config, and members of a scorer group: what one result may ask the judge for. */
  codeScorersMax: 50,
  groupMembersMax: 50,
  /** Name of a grading config or scorer group. */
  graderNameMaxChars: 512,
  /** What the record behind a verdict keeps of its texts (decision 43). */
  verdictPromptMaxChars: 100_000,
  verdictReplyMaxChars: 20_000,
  /** Grading configs and scorer groups of a project: their lists have no pages. */
  gradersMax: 1000,
  /** Invitations of one organization that can still be accepted, and members that its list shows. */
  invitationsPendingMax: 500,
  membersListedMax: 5000,
  /** Sessions of an account that its list shows. */
  accountSessionsListedMax: 100,
  /** Events of an organization's log in one answer. */
  auditPageDefault: 50,
  auditPageMax: 200,
  /** Agents that a live scorer is confined to. */
  onlineAgentsMax: 100,
  /** completions 9.3: patterns of a project, and what one is made of. */
  patternsMax: 200,
  patternConditionsMax: 20,
  patternTermsMax: 100,
  patternTextMaxChars: 4_000,
  /** What patterns look at of one text. */
  checkedTextMaxChars: 256 * 1024,
  /** A regex, the instructions it may compile to, and what it or a judge reads of one text: together they bound its time. */
  regexMaxChars: 500,
  regexInstructionsMax: 1_000,
  matchedTextMaxChars: 64 * 1024,
  /** Traces that a pattern is tried on before it is saved, and of these, those that a judge is asked about. */
  triedTracesMax: 200,
  triedTracesDefault: 50,
  judgedTrialsMax: 5,
  /** completions 4.5: custom scorers of a project, and what one is made of. */
  customEvaluatorsMax: 100,
  customEvaluatorUrlMaxChars: 2_048,
  customEvaluatorScriptMaxChars: 64 * 1024,
  /** Channels of a monitoring profile. */
  profileChannelsMax: 20,
  /** completions 9.4: signals in a list, and occurrences kept of one. */
  signalPageDefault: 50,
  signalPageMax: 100,
  signalOccurrencesKept: 100,
  /** completions 9.6: texts and names in what people say of traces, and votes in a list. */
  feedbackTextMaxChars: 10_000,
  feedbackNameMaxChars: 200,
  feedbackListedMax: 200,
  /** completions 10: webhooks and alert rules of a project, and messages that may be on their way. */
  webhooksMax: 50,
  alertRulesMax: 100,
  alertTrialDaysMax: 30,
  alertTrialRowsMax: 50_000,
  webhookDeliveriesPendingMax: 10_000,
  webhookDeliveryPageDefault: 50,
  webhookDeliveryPageMax: 200,
} as const;

/**
 * The chain of deadlines of a scored batch (decision 5), longest last: each must be shorter than the next, so
 * that the inner one answers before the outer gives up.
 */
export const deadlines = {
  llmCallMs: 60_000,
  resultMs: 120_000,
  batchMs: 240_000,
  gatewayScoringHopMs: 250_000,
  /** Every other hop from the gateway. */
  gatewayHopMs: 30_000,
  /** How long a large answer waits for others to leave. */
  answerRoomMs: 5_000,
  /** One look-up of a key in auth. */
  keyLookupMs: 2_000,
  /** Closing deleted projects in one service: longer than it waits for the transactions under way. */
  closeProjectsMs: 12_000,
  /** One pattern on one trace, and all patterns of a trace: a computation that takes longer is ended (decision 45). */
  patternMs: 2_000,
  patternsMs: 20_000,
  /** One question of eval-runs to ingest about recorded traffic. */
  traceReadMs: 10_000,
} as const;
