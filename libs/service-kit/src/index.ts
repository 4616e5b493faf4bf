export { type Act, actOf, composeRecordedAct, type Deed, namesOfChanged } from "./acts.ts";
export { addressSubjectOf } from "./address-subject.ts";
export type { Answer } from "./answer.ts";
export { AnswerRoom, createAnswerBudget } from "./answer-room.ts";
export { AppError, type AppErrorOptions, isAppError } from "./app-error.ts";
export { type AuditPageQuery, readAuditPage } from "./audit-page.ts";
export { type BodyBudget, type BodyShare, createBodyBudget } from "./body-budget.ts";
export { createBoundedCache } from "./bounded-cache.ts";
export { readBuild, showBuild } from "./build-info.ts";
export {
  type Call,
  pickHeaders,
  type RowsType,
  readJsonBytes,
  readJsonObject,
  readJsonText,
  readRowsType,
  requireJson,
  requireNdjson,
} from "./call.ts";
export { type Clock, systemClock } from "./clock.ts";
export { closePort } from "./close-port.ts";
export { closeProjects } from "./close-projects.ts";
export { aheadBy, createClockCheck, createClockJudge } from "./compare-clocks.ts";
export { ComputeError, type ComputeErrorKind } from "./compute/compute-error.ts";
export {
  type ComputePool,
  type ComputePoolOptions,
  type ComputeRequest,
  createComputePool,
} from "./compute/compute-pool.ts";
export { type ComputeTask, defineComputeTask } from "./compute/compute-task.ts";
export { addPassword, ConfigError, type Environment, loadSettings, readHeaderList, requireSettings } from "./config.ts";
export { countDeadLetters } from "./count-dead-letters.ts";
export { deriveKey } from "./derive-key.ts";
export { encodeList } from "./encode-texts.ts";
export { createFairLimit, type FairLimit, type PlaceRequest, TooManyWaitingError } from "./fair-limit.ts";
export { createFairLine, type FairLine } from "./fair-line.ts";
export { createFairShare, type FairShare, type ShareUnit, type Tenant } from "./fair-share.ts";
export { type GatherOptions, gatherCalls } from "./gather-calls.ts";
export { gatherChunks } from "./gather-chunks.ts";
export type { HopAnswer } from "./hop-answer.ts";
export {
  createHttpServer,
  type HttpServer,
  type HttpServerOptions,
  type Readiness,
  translateFrameworkError,
} from "./http-server.ts";
export { experimentRunId, uuidv7, uuidv7TimeMs } from "./ids.ts";
export { inflateBody, requireKnownEncoding } from "./inflate-body.ts";
export {
  createInternalClient,
  type Hop,
  type InternalClient,
  type InternalClientOptions,
} from "./internal-client.ts";
export { createIdentitySigner, createIdentityVerifier, type IdentityClaims } from "./internal-identity.ts";
export { parseIsoTime } from "./iso-time.ts";
export {
  decodeInSlices,
  decodeJsonText,
  endOfJsonString,
  hasMoreNames,
  isDeeperThan,
  isJsonObject,
  type JsonMembers,
  type JsonObject,
  parseJsonText,
  requireShallow,
  scanBody,
} from "./json.ts";
export {
  compactText,
  elementsOf,
  type JsonMember,
  lastText,
  membersOf,
  memberText,
  memberValue,
  objectText,
  objectTexts,
} from "./json-text.ts";
export { cutText, cutVisibly, renderContext } from "./judged-text.ts";
export { createLimitInHand, type LimitInHand } from "./limit-in-hand.ts";
export {
  endOfList,
  endOfPage,
  endText,
  firstOf,
  type ListPage,
  type PartBounds,
  readListPage,
  type SizedRow,
} from "./list-page.ts";
export { createLocalCalls, type LocalCalls } from "./local-calls.ts";
export { createLogger, type Logger } from "./logger.ts";
export { filterInSlices, forEachInSlices, mapInSlices, sortInSlices } from "./long-lists.ts";
export { takeLoopTurn, takeLoopTurnIfLarge } from "./loop-turns.ts";
export { maskSecret } from "./mask-secret.ts";
export { createCounter, createGauge, createHistogram, createMetrics, type Metrics } from "./metrics.ts";
export { type NatsConfig, natsSettings, readNatsConfig } from "./nats-config.ts";
export { noRoom, tooMuchToSend } from "./no-room.ts";
export { orAborted } from "./or-aborted.ts";
export { type OtlpEncoding, readOtlpEncoding } from "./otlp-encoding.ts";
export { OutboundError, type OutboundErrorKind } from "./outbound/outbound-error.ts";
export { createOutboundFetch, type OutboundFetch, type OutboundOptions } from "./outbound/outbound-fetch.ts";
export { type OutboundReach, readOutboundUrl } from "./outbound/outbound-url.ts";
export type { ResolveHost } from "./outbound/resolve-host.ts";
export { type Parsed, parseBody } from "./parse-body.ts";
export { cutWhenSlow, cutWhenStalled, type PassedStream, passStream } from "./pass-stream.ts";
export { lostSpanId, lostTraceId, rootIdOf, spanIdOf, traceIdOf } from "./peer-ids.ts";
export { Pieces, passPieces } from "./pieces.ts";
export { type ProcessConfig, processSettings, readProcessConfig } from "./process-config.ts";
export { isProjectDeleted, projectDeleted } from "./project-deleted.ts";
export { completeProjectKey, isWellFormedProjectKey } from "./project-key-format.ts";
export { bodyTooLarge, collectChunks, discardBody, readBody } from "./read-body.ts";
export { readLimit, readParameter, requireLimit } from "./read-query.ts";
export { createReadTurns, type ReadTurns, takeTurns } from "./read-turns.ts";
export { releaseIdleMemory } from "./release-memory.ts";
export { type RenderedError, renderError } from "./render-error.ts";
export { createReplicaSet, type ReplicaSet } from "./replica-set.ts";
export { requireProject } from "./require-project.ts";
export { encodeRpcStatus, prefersRpcStatus } from "./rpc-status.ts";
export { runAtOnce, runInSlices, type Sliced } from "./run-in-slices.ts";
export { runProcess } from "./run-process.ts";
export {
  type JsonSlice,
  JsonSyntaxError,
  type JsonType,
  refuseBadJson,
  type ScannedObject,
  scanElements,
  scanMembers,
  scanMembersInSlices,
  walkElements,
} from "./scan-members.ts";
export { createScrapeReading } from "./scrape-reading.ts";
export type { Handler, ServedRoute } from "./served-route.ts";
export type { Service } from "./service.ts";
export { serviceStarting } from "./service-starting.ts";
export { readSince } from "./since.ts";
export { StartError, translateListenError } from "./start-error.ts";
export { storableText } from "./storable-text.ts";
export {
  type DatabaseSetting,
  readDatabaseUrl,
  readStoreServiceConfig,
  type StoreServiceConfig,
} from "./store-service-config.ts";
export { answerLines, type LineSource } from "./stream-lines.ts";
export { closeStream, createStreamPlaces, type StreamPlace, type StreamPlaces } from "./stream-places.ts";
export { createTenants, type Tenants } from "./tenants.ts";
export {
  currentTraceparent,
  type OpenTrace,
  openTrace,
  startTracing,
  type TracedWork,
  type TracingConfig,
  traced,
  untraced,
} from "./tracing.ts";
export { watchArrival } from "./watch-arrival.ts";
export { watchBodyBudget } from "./watch-body-budget.ts";
export { watchEventLoop } from "./watch-event-loop.ts";
export { watchShares } from "./watch-shares.ts";
export { startWatchdog, type Watchdog } from "./watchdog.ts";
export { requireWorkspace } from "./workspace.ts";
