import { type JsonMember, objectText } from "../json/json-text.ts";
import type { DatasetVersion } from "./dataset-store.ts";

/** A version as clients read it (completions 3.3); nobody signs for what comes with a project's key. */
export function renderDatasetVersion(datasetId: string, version: DatasetVersion): string {
  return objectText([
    member("_id", `${datasetId}:${version.version}`),
    member("versionNumber", version.version),
    member("changeSummary", version.changeSummary),
    { name: "snapshot", valueText: version.document },
    member("createdAt", version.createdAt),
    member("creator", null),
  ]);
}

/** The number in a version's id, or null when the id is none of the dataset's. */
export function readDatasetVersionId(datasetId: string, id: string): number | null {
  const parts = /^(.*):([1-9]\d{0,8})$/.exec(id);
  return parts !== null && parts[1] === datasetId ? Number(parts[2]) : null;
}

function member(name: string, value: unknown): JsonMember {
  return { name, valueText: JSON.stringify(value) };
}
