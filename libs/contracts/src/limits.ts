/** Every number of the specification's Limits table, and the bounds we add. Units are in the names. */
export const limits = {
  /** interface: Limits, results per batch. */
  resultsPerBatchMax: 10,
  /** interface: Limits, trace list page size. */
  tracePageDefault: 50,
  tracePageMax: 100,
  /** interface: Limits, tool calls kept per submitted trace; the excess is silently truncated. */
  toolCallsMax: 50,
  /** interface: Limits, rating scale. */
  ratingMin: 0,
  ratingMax: 10,
  /** interface: Limits, results rated at or below this are low-scoring cases in reports. */
  lowScoringRatingMax: 5,
  /** completions 1.2: inflated size of a JSON body. */
  jsonBodyMaxBytes: 10 * 1024 * 1024,
  /** decisions: size of one OTLP export, on the wire and inflated. */
  otlpBodyMaxBytes: 64 * 1024 * 1024,
  /** Body of one import of traces, on the wire; a longer file is sent in pieces. */
  importBodyMaxBytes: 256 * 1024 * 1024,
  /** The same inflated: a bomb costs no memory, but time. */
  importInflatedMaxBytes: 1024 * 1024 * 1024,
  /** Lines of an import whose mistakes are told. */
  importReasonsMax: 100,
  /** completions 13, rows of a page of an export. */
  exportPageRows: 500,
  /** completions 1.2. */
  traceNameMaxChars: 2000,
  frameworkMaxChars: 64,
  /** Longest value of an indexed text column: a btree entry over 2704 bytes is an error in PostgreSQL. */
  indexedTextMaxChars: 512,
  /** decisions: deepest any-JSON value taken on REST (422 beyond). */
  jsonDepthMax: 128,
  /** decisions: deepest OTLP attribute value kept; what lies below is truncated with a warning. */
  otlpDepthMax: 32,
  /** completions 2.1: a `timestamp` further ahead than this is clamped to now. */
  timestampAheadMaxMs: 60_000,
  /** completions 2.3: a longer search term is cut. */
  searchTermMaxChars: 200,
  /** What search reads of one root; the rest of a longer error, input or output is not found. */
  searchDocMaxChars: 64 * 1024,
  /** decisions, Streams: open at once, for each project and ingest replica. */
  streamsPerProjectMax: 20,
  /** decisions, Streams: a reader that is further behind is cut off. */
  streamBacklogMaxBytes: 1024 * 1024,
  /** decisions, Streams: a reader that was away for longer begins anew. */
  streamResumeMaxMs: 60 * 60 * 1000,
  /** Rows of the lists that have no pages: the newest sessions; agents and prices of a project. */
  sessionsListedMax: 1000,
  agentsListedMax: 5000,
  modelPricesMax: 1000,
  /** architecture 3: what may wait for a commit. */
  ingestQueueMaxRows: 10_000,
  ingestQueueMaxBytes: 64 * 1024 * 1024,
  /** completions 3.1. */
  datasetRequestsMax: 20,
  /** completions 5.1. */
  additionalScorersMax: 10,
} as const;

/**
 * The chain of deadlines of a scored batch (architecture 2), longest last: each must be shorter than the next, so
 * that the inner one answers before the outer gives up.
 */
export const deadlines = {
  llmCallMs: 60_000,
  resultMs: 120_000,
  batchMs: 240_000,
  gatewayScoringHopMs: 250_000,
  /** Every other hop from the gateway. */
  gatewayHopMs: 30_000,
  /** One look-up of a key in auth. */
  keyLookupMs: 2_000,
} as const;
