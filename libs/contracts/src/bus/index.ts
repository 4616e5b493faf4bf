import { evalRunsActRecorded, ingestActRecorded, monitorActRecorded } from "./audit.v1.ts";
import type { EventContract, RequestContract } from "./define.ts";
import { keyRevoked, membershipChanged, tracesStored } from "./events.v1.ts";
import { experimentItemsRecorded } from "./experiment-items.v1.ts";
import { gateRecorded } from "./gates.v1.ts";
import { scoreResult } from "./judge.v1.ts";
import { readVerdictRecord } from "./judge-records.v1.ts";
import { readJudgeDay, readJudgeUsage } from "./judge-usage.v1.ts";
import {
  classifyTopic,
  compareTexts,
  matchPattern,
  paraphraseQuery,
  runScript,
  suggestExpected,
  writeAnalysis,
  writeRegex,
} from "./judge-writing.v1.ts";
import { readMembers, scoreMembers } from "./member-scores.v1.ts";
import { keepModelPrices, modelPricesChanged, modelPricesHandedOver } from "./model-prices.v1.ts";
import {
  evaluationsReceived,
  keepLiveScorers,
  liveScorersChanged,
  sessionsJudged,
  spansSettled,
  tracesJudged,
  tracesSettled,
} from "./monitoring.v1.ts";
import {
  evalRunsDataDeleted,
  ingestDataDeleted,
  judgeDataDeleted,
  monitorDataDeleted,
  projectDeleting,
} from "./project-deletion.v1.ts";
import { resultsRated } from "./rated-results.v1.ts";

export * from "./audit.v1.ts";
export * from "./define.ts";
export * from "./events.v1.ts";
export * from "./experiment-items.v1.ts";
export * from "./gates.v1.ts";
export * from "./judge.v1.ts";
export * from "./judge-records.v1.ts";
export * from "./judge-usage.v1.ts";
export * from "./judge-writing.v1.ts";
export * from "./member-scores.v1.ts";
export * from "./model-prices.v1.ts";
export * from "./monitoring.v1.ts";
export * from "./project-deletion.v1.ts";
export * from "./rated-results.v1.ts";

/** Every message that crosses the bus. The golden `bus.v1.json` and the NATS permissions are generated from it. */
export const busMessages: readonly (RequestContract | EventContract)[] = [
  scoreResult,
  paraphraseQuery,
  suggestExpected,
  compareTexts,
  matchPattern,
  writeRegex,
  runScript,
  classifyTopic,
  writeAnalysis,
  readJudgeUsage,
  readJudgeDay,
  readVerdictRecord,
  readMembers,
  scoreMembers,
  keepLiveScorers,
  keepModelPrices,
  tracesStored,
  tracesSettled,
  spansSettled,
  tracesJudged,
  sessionsJudged,
  evaluationsReceived,
  experimentItemsRecorded,
  liveScorersChanged,
  gateRecorded,
  resultsRated,
  membershipChanged,
  keyRevoked,
  modelPricesChanged,
  modelPricesHandedOver,
  projectDeleting,
  ingestDataDeleted,
  evalRunsDataDeleted,
  judgeDataDeleted,
  monitorDataDeleted,
  ingestActRecorded,
  evalRunsActRecorded,
  monitorActRecorded,
];
