import { isUuid, limits } from "@touchstone/contracts";
import type { ListQuery } from "@touchstone/db";
import { type Call, readLimit, readParameter } from "@touchstone/service-kit";
import { type Query, readCursor } from "../queries/read-query.ts";

/** Filters of pipeline verdicts; null = all. */
export interface VerdictFilter {
  datasetId: string | null;
  branch: string | null;
  /** Matches if either this or the run's commit is a prefix of the other: both may be abbreviated. */
  commit: string | null;
}

/** The cursor is an id of any entity: ids are in the order of time. */
export interface VerdictQuery extends ListQuery {
  filter: VerdictFilter;
}

const noDataset = "00000000-0000-0000-0000-000000000000";

/** Reads the query of a list of verdicts. Throws `bad_request` for the first parameter that is wrong. */
export function readVerdictQuery({ query, makeRoom }: Call): VerdictQuery {
  const datasetId = readParameter(query, "dataset_id") ?? readParameter(query, "datasetId");
  return {
    limit: readLimit(query, { byDefault: limits.runPageDefault, max: limits.runPageMax }),
    cursor: readCursor(query, "an id of the list"),
    makeRoom,
    filter: {
      // A malformed dataset id matches no verdicts.
      datasetId: datasetId === null || isUuid(datasetId) ? datasetId : noDataset,
      branch: readStored(query, "branch"),
      commit: readStored(query, "commit"),
    },
  };
}

/** PostgreSQL rejects NUL: it is replaced, and the value then matches nothing. */
export function readStored(query: Query, name: string): string | null {
  return readParameter(query, name)?.replaceAll("\0", "\ufffd") ?? null;
}
