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
  /** dropin 2.1: a message of the Model Context Protocol. The ten answers that a tool takes fit in. */
  mcpBodyMaxBytes: 4 * 1024 * 1024,
  /** Members and items of a JSON body at all levels: the smallest take fifty times their bytes once parsed. */
  jsonValuesMax: 500_000,
  /**
   * Members of a JSON body, at all levels, when it is read in one turn of the event loop: a new name takes more time than any
   * value. Of a batch, of a batch of Langfuse's clients, and of a message of the Model Context Protocol, which is read several times.
   */
  jsonNamesMax: 20_000,
  batchNamesMax: 50_000,
  langfuseNamesMax: 100_000,
  mcpNamesMax: 5_000,
  /**
   * Members of one object, and items of one list, that a trace's body is split into. Their contents are not examined.
   */
  jsonMembersMax: 100_000,
  /** Body of a sign-in, a sign-up and the like. */
  accountBodyMaxBytes: 64 * 1024,
  /** otlp 1, Content-Encoding: size of one export, on the wire and inflated. */
  otlpBodyMaxBytes: 64 * 1024 * 1024,
  /** Bodies up to this size are small: large ones do not use their share. */
  smallBodyMaxBytes: 64 * 1024,
  /** otlp 1: open bodies in bytes, on the wire, inflated and decoded; a quarter is reserved for small ones. */
  ingestBodiesMaxBytes: 256 * 1024 * 1024,
  gatewayBodiesMaxBytes: 128 * 1024 * 1024,
  /** The same of every other service. */
  otherBodiesMaxBytes: 64 * 1024 * 1024,
  /** Answers over 64 KiB that one server may produce or send at a time. */
  answersMaxBytes: 256 * 1024 * 1024,
  /** Body of one import of traces, on the wire; a longer file is sent in pieces. */
  importBodyMaxBytes: 256 * 1024 * 1024,
  /** The same inflated: a bomb takes no memory, but time. */
  importInflatedMaxBytes: 1024 * 1024 * 1024,
  /** Lines of an import whose errors are reported. */
  importReasonsMax: 100,
  /** completions 13, rows of a page of an export. */
  exportPageRows: 500,
  /** Bytes of a list's page: it ends early, and the next one continues. A page has at least one item. */
  listBytesMax: 8 * 1024 * 1024,
  /** Rows of a list's page without its own page size, and versions of one object on a page. */
  listRowsMax: 10_000,
  versionsListedMax: 200,
  /** completions 1.3: per client address in 15 minutes. */
  projectDeletionsPerWindowMax: 30,
  /** completions 1.2. */
  traceNameMaxChars: 2000,
  frameworkMaxChars: 64,
  /** Longest value of an indexed text column: a btree entry over 2704 bytes is an error in PostgreSQL. */
  indexedTextMaxChars: 512,
  /** completions 0.2: deepest any-JSON value accepted on REST (422 beyond). */
  jsonDepthMax: 128,
  /** otlp 2: maximum depth of a stored attribute value; deeper parts are truncated with a warning. */
  otlpDepthMax: 32,
  /** Attributes of a span, a log record, an event, a link or a resource. SDKs stop at 128 by default. */
  otlpAttributesMax: 65_536,
  otlpEventsMax: 65_536,
  otlpLinksMax: 65_536,
  /** Attributes, items of lists, members, events and links of one span or log record; of JSON every member and item. */
  otlpValuesMax: 1_000_000,
  /** The same of one export: as many as fit into 64 MiB of the smallest attributes. */
  otlpExportValuesMax: 8_388_608,
  /** A resource, a scope, and any other part of an export beside its spans, log records or metrics. */
  otlpResourceMaxBytes: 1024 * 1024,
  otlpResourceValuesMax: 65_536,
  /** Spans, log records or metrics of one export, and the resources, scopes and lists around them. */
  otlpItemsMax: 1_048_576,
  otlpEnvelopesMax: 262_144,
  /** Updates of spans in one request (otlp 9). */
  spanUpdatesMax: 1_000,
  /** Of one update, and of all updates of a span together: each later update reads all of them. */
  spanUpdateAttributesMax: 16_384,
  /** The same, with the members and items of values. */
  spanUpdateValuesMax: 262_144,
  /** dropin 1.3: events in one batch. */
  langfuseEventsMax: 10_000,
  /** completions 2.1: a `timestamp` further ahead than this is clamped to now. */
  timestampAheadMaxMs: 60_000,
  /** completions 2.3: a longer search term is cut. */
  searchTermMaxChars: 200,
  /** The part of one root that search reads; the rest of a longer error, input or output is not found. */
  searchDocMaxChars: 64 * 1024,
  /** completions 1.8: open streams, for each project and replica. */
  streamsPerProjectMax: 20,
  /** Streams and exports open at a gateway, and streams at each replica behind it. */
  streamsMax: 1_000,
  /** Exports open at one replica, each of which holds a page; and of one project. */
  exportsMax: 100,
  exportsPerProjectMax: 20,
  /** completions 1.8: a reader that falls further behind is disconnected. */
  streamBacklogMaxBytes: 1024 * 1024,
  /** completions 1.8: a reader that was disconnected for longer starts over. */
  streamResumeMaxMs: 60 * 60 * 1000,
  /** Rows of the lists without pages: the newest sessions, prices of a project; and agents on a page. */
  sessionsListedMax: 1000,
  agentsListedMax: 5000,
  modelPricesMax: 1000,
  /** completions 1.5: the queue for a commit. */
  ingestQueueMaxRows: 10_000,
  ingestQueueMaxBytes: 64 * 1024 * 1024,
  /** Names of prompts and tool schemas. */
  registryNameMaxChars: 200,
  /** completions 9.5. */
  promptVersionsListedMax: 100,
  /** Labels of a prompt, over all its versions, and tags. */
  promptLabelsMax: 100,
  promptTagsMax: 100,
  /** Name of a dataset that is found by it. */
  datasetNameMaxChars: 500,
  /** Rows of a page on the paths of other systems' clients. */
  peerPageMax: 100,
  peerItemMediaMax: 200,
  /** Items in the answer about one run of another system's client, the newest; its list of items has all. */
  peerRunItemsMax: 10_000,
  /** completions 3.1. */
  datasetRequestsMax: 20,
  /** Paraphrases requested for one case. */
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
  missingQuestionsMax: 100,
  /** completions 8.2. */
  gitContextMaxBytes: 16 * 1024,
  ciAgentNameMaxChars: 512,
  /** completions 5.1. */
  additionalScorersMax: 10,
  /** Code scorers of a dataset or grading config, and members of a scorer group: the judge calls of one result. */
  codeScorersMax: 50,
  groupMembersMax: 50,
  /** Definitions of the patterns and custom scorers of a scorer group: one message of the bus has all of them. */
  groupScorersMaxBytes: 7 * 1024 * 1024,
  /** Name of a grading config or scorer group. */
  graderNameMaxChars: 512,
  /** The part of a verdict's texts that its record keeps (decision 43). */
  verdictPromptMaxChars: 100_000,
  verdictReplyMaxChars: 20_000,
  /** Criteria and prompt of a judge; documents of the live judges of a project, and of the graders that a run names. */
  judgeTextMaxChars: 256 * 1024,
  liveScorersMaxBytes: 6 * 1024 * 1024,
  runGradersMaxChars: 32 * 1024 * 1024,
  /** Grading configs and scorer groups of a project: their lists have no pages. */
  gradersMax: 1000,
  /** Open invitations of one organization, and members in its list. */
  invitationsPendingMax: 500,
  membersListedMax: 5000,
  /** Sessions in an account's list. */
  accountSessionsListedMax: 100,
  /** Events of an organization's log in one answer. */
  auditPageDefault: 50,
  auditPageMax: 200,
  /** Agents that a live scorer can be limited to. */
  onlineAgentsMax: 100,
  /** completions 9.3: patterns of a project, the documents of the enabled ones together, and the parts of one. */
  patternsMax: 200,
  enabledPatternsMaxBytes: 4 * 1024 * 1024,
  patternConditionsMax: 20,
  patternTermsMax: 100,
  patternTextMaxChars: 4_000,
  /** The part of one text that patterns read. */
  checkedTextMaxChars: 256 * 1024,
  /**
   * A regex, the instructions it may compile to, and the part of one text that it or a judge reads: together they bound
   * its time.
   */
  regexMaxChars: 500,
  regexInstructionsMax: 1_000,
  matchedTextMaxChars: 64 * 1024,
  /** Traces that a pattern is tried on before it is saved, and those of them that a judge reads. */
  triedTracesMax: 200,
  triedTracesDefault: 50,
  judgedTrialsMax: 5,
  /** completions 4.5: custom scorers of a project, the documents of the enabled ones together, and the parts of one. */
  customEvaluatorsMax: 100,
  enabledCustomEvaluatorsMaxBytes: 4 * 1024 * 1024,
  customEvaluatorUrlMaxChars: 2_048,
  customEvaluatorScriptMaxChars: 64 * 1024,
  /** Channels of a monitoring profile. */
  profileChannelsMax: 20,
  /** `thresholdOverrides` and `approvalPolicy` of a profile, each as JSON. */
  profileObjectMaxChars: 16_000,
  /** completions 9.4: signals in a list, and stored occurrences of one. */
  signalPageDefault: 50,
  signalPageMax: 100,
  signalOccurrencesKept: 100,
  /** completions 9.6: texts and names in feedback on traces, and votes in a list. */
  feedbackTextMaxChars: 10_000,
  feedbackNameMaxChars: 200,
  feedbackListedMax: 200,
  feedbackPageDefault: 50,
  /** completions 2.9: scores in one request, in a list, and in the detail of a trace or session. */
  scoresPerRequestMax: 1_000,
  scorePageDefault: 100,
  scorePageMax: 1_000,
  scoresShownMax: 200,
  /** Id, name and author of a score: the first two are in one index with an id of what it is about. */
  scoreNameMaxChars: 256,
  scoreMetadataMaxChars: 16 * 1024,
  /** completions 2.10: content of one medium, and the characters of its type. */
  mediaMaxBytes: 20 * 1024 * 1024,
  mediaTypeMaxChars: 100,
  /** Content that is arriving, in one process: what one project may have of it; all together may have an eighth more. */
  mediaUploadsMaxBytes: 64 * 1024 * 1024,
  /** How long an address of content works. */
  mediaUploadMs: 15 * 60 * 1000,
  mediaReadMs: 60 * 60 * 1000,
  /** Media that no stored trace has is kept this long. */
  mediaUnnamedMs: 24 * 60 * 60 * 1000,
  /** completions 10: webhooks and alert rules of a project, and messages in delivery. */
  webhooksMax: 50,
  alertRulesMax: 100,
  alertTrialDaysMax: 30,
  alertTrialRowsMax: 50_000,
  webhookDeliveriesPendingMax: 10_000,
  webhookDeliveryPageDefault: 50,
  webhookDeliveryPageMax: 200,
} as const;

/**
 * The chain of deadlines of a scored batch (decision 5), longest last: each must be shorter than the next, so that the
 * inner one answers before the outer one gives up.
 */
export const deadlines = {
  llmCallMs: 60_000,
  resultMs: 120_000,
  batchMs: 240_000,
  gatewayScoringHopMs: 250_000,
  /** Every other hop from the gateway. */
  gatewayHopMs: 30_000,
  /** How long a large answer waits for other answers to finish. */
  answerRoomMs: 5_000,
  /** One look-up of a key in auth. */
  keyLookupMs: 2_000,
  /** Closing deleted projects in one service: longer than it waits for open transactions. */
  closeProjectsMs: 12_000,
  /** One pattern on one trace, and all patterns of a trace: a computation that takes longer is ended (decision 45). */
  patternMs: 2_000,
  patternsMs: 20_000,
  /** One request of eval-runs to ingest about recorded traffic. */
  traceReadMs: 10_000,
} as const;
