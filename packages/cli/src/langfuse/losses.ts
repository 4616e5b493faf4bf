import type { Loss } from "./journal.ts";
import type { Row } from "./row.ts";

/** Members that the import sends, and members that Langfuse derives from others. */
const known = {
  trace: {
    sent: "id timestamp name input output userId sessionId tags release version environment metadata public externalId",
    derived: "projectId htmlPath latency totalCost observations scores createdAt updatedAt isDeleted eventTs",
  },
  observation: {
    sent: `id traceId parentObservationId type name level statusMessage version environment promptName promptVersion
      usageDetails costDetails totalCost startTime endTime completionStartTime model providedModelName modelParameters
      input output metadata traceName userId sessionId tags release isRootObservation`,
    derived: `projectId createdAt updatedAt latency timeToFirstToken modelId internalModelId inputPrice outputPrice
      totalPrice calculatedInputCost calculatedOutputCost calculatedTotalCost promptId usage unit promptTokens
      completionTokens totalTokens inputUsage outputUsage totalUsage inputCost outputCost providedUsageDetails
      providedCostDetails usagePricingTierName usagePricingTierId modelName eventTs isDeleted traceTimestamp`,
  },
  score: {
    sent: `id name value stringValue dataType comment source metadata timestamp traceId observationId sessionId
      datasetRunId subject environment configId queueId`,
    derived: "projectId createdAt updatedAt trace config eventTs isDeleted",
  },
  dataset: { sent: "id name description metadata", derived: "projectId createdAt updatedAt items runs" },
  item: {
    sent: "id status input expectedOutput metadata sourceTraceId sourceObservationId datasetName",
    derived: "datasetId projectId createdAt updatedAt mediaReferences",
  },
  run: {
    sent: "id name description metadata datasetRunItems",
    derived: "projectId datasetId datasetName createdAt updatedAt startTime endTime itemCount",
  },
  prompt: {
    sent: "name version type prompt config labels tags commitMessage",
    derived: "id projectId createdAt updatedAt resolutionGraph isActive",
  },
} as const;

const names = Object.fromEntries(
  Object.entries(known).map(([kind, { sent, derived }]) => [kind, new Set(`${sent} ${derived}`.split(/\s+/))]),
);

/** What says nothing. */
const empty = new Set(["null", '""', "false", "[]", "{}", "0", '"default"']);

/** The members of a row that say something and have no place in Touchstone. */
export function lossesOf(kind: keyof typeof known, row: Row, id: string): Loss[] {
  const lost: Loss[] = [];
  for (const [member, text] of row.members()) {
    if (!member.startsWith("_") && !names[kind]?.has(member) && !empty.has(text))
      lost.push({ member: `${kind}.${member}`, id });
  }
  return lost;
}
