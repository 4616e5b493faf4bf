import { type ExperimentItem, isStorable, isUuid, limits } from "@touchstone/contracts";
import type { ReadSpan } from "../model/read-span.ts";
import { decodeSpanBody, readBodyMembers } from "../model/span-body.ts";

/**
 * The item of an experiment that its topmost span states with Langfuse's attributes (dropin 1.6); null if it is none. An experiment without a
 * dataset has no cases. One that is named by a UUID is a run that its client makes by itself, item by item.
 */
export async function readExperimentItem(projectId: string, span: ReadSpan): Promise<ExperimentItem | null> {
  if (span.source !== "eval-run" || span.traceKey === null || span.spanId === null) return null;
  const { metadata } = readBodyMembers(await decodeSpanBody(span.body), ["metadata"]);
  const stated = JSON.parse(metadata ?? "{}")?.otel?.attributes ?? {};
  const read = (name: string): string | null => {
    const value: unknown = stated[`langfuse.experiment.${name}`];
    return typeof value === "string" && value !== "" && isStorable(value) ? value : null;
  };
  const [experimentId, runName, caseId] = [read("id"), read("name"), read("item.id")];
  if (experimentId === null || runName === null || caseId === null || read("dataset.id") === null) return null;
  const isLong = [experimentId, runName, caseId].some((text) => text.length > limits.indexedTextMaxChars);
  if (isLong || isUuid(experimentId)) return null;
  const answering = read("item.root_observation_id");
  const described = { description: read("description"), metadata: objectTextOf(read("metadata")) };
  const isShort =
    Buffer.byteLength((described.description ?? "") + (described.metadata ?? "")) <= limits.smallBodyMaxBytes;
  return {
    ...{ projectId, experimentId, runName, caseId },
    ...(isShort ? described : { description: null, metadata: null }),
    otelTraceId: span.traceKey.replaceAll("-", ""),
    otelSpanId: answering !== null && /^[0-9a-f]{16}$/.test(answering) ? answering : span.spanId,
    createdAt: new Date(span.createdAtMs).toISOString(),
  };
}

function objectTextOf(text: string | null): string | null {
  if (text === null || !text.startsWith("{")) return null;
  try {
    JSON.parse(text);
    return text;
  } catch {
    return null;
  }
}
