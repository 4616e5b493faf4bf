import { type Database, sqlStateOf } from "@touchstone/db";
import { AppError, isAppError } from "@touchstone/service-kit";
import { ListChangedError } from "../../assembly/compose.ts";
import { createListedBodies } from "../../assembly/listed-bodies.ts";
import {
  buildCandidatesRead,
  type PostingsRecord,
  type SearchCandidates,
  toCandidates,
} from "../../search/search-candidate-reader.ts";
import type { TraceStore } from "../trace-store.ts";
import { createComposeLoader } from "./compose-store.ts";
import {
  buildRootExtent,
  buildRootHistogram,
  type RootCountRecord,
  type RootExtentRecord,
  toRootCounts,
} from "./root-histogram.ts";
import { buildRootList, type ListedWhole, type RootRecord } from "./root-list.ts";
import { showRoots, toListedRoots } from "./show-roots.ts";

const statementTimeout = "57014";

/** Lists and counts the roots of a project. `searching` has the timeout of a search. */
export function createRootLister(
  reading: Database,
  searching: Database,
): Pick<TraceStore, "listRoots" | "countRoots" | "readRootExtent"> {
  const listed = createListedBodies();

  /**
   * Reads the candidates before the search runs. A text that is stored or changed in between gets a number that the
   * search reads anyway. Null without a pattern.
   */
  async function findCandidates(query: {
    projectId: string;
    pattern: string | null;
  }): Promise<SearchCandidates | null> {
    const { projectId, pattern } = query;
    if (pattern === null) return null;
    const read = buildCandidatesRead(projectId, pattern);
    return toCandidates(read && (await searching.readScoped<PostingsRecord>([projectId], read)).rows);
  }

  return {
    async listRoots(query, showing) {
      const { projectId, limit } = query;
      const loader = createComposeLoader((statement) => reading.readScoped([projectId], statement), projectId);
      const candidates = await findCandidates(query).catch(refuseLongSearch);
      const list = async (whole: ListedWhole) => {
        const database = candidates === null ? reading : searching;
        const found = await database
          .readScoped<RootRecord>([projectId], buildRootList(query, whole, candidates))
          .catch(refuseLongSearch);
        return showRoots(toListedRoots(found.rows, limit), { loader, listed, showing });
      };
      try {
        return await list("short");
      } catch (thrown) {
        if (!(thrown instanceof ListChangedError)) throw thrown;
        // A root of the page was removed before its body was read: retry with the bodies in the page's snapshot.
        return list("all");
      }
    },

    async countRoots(query) {
      const candidates = await findCandidates(query).catch(refuseLongCount);
      const { rows } = await searching
        .readScoped<RootCountRecord>([query.projectId], buildRootHistogram(query, candidates))
        .catch(refuseLongCount);
      return toRootCounts(rows);
    },

    async readRootExtent(projectId) {
      const { rows } = await reading.readScoped<RootExtentRecord>([projectId], buildRootExtent(projectId));
      const { oldest = null, newest = null } = rows[0] ?? {};
      return oldest && newest && { oldestMs: oldest.getTime(), newestMs: newest.getTime() };
    },
  };
}

/** The list without a search has its own limits; only a search is cancelled for its time. */
const refuseLongSearch = refusingCancelled("The search took too long; search for a longer or rarer text.");
const refuseLongCount = refusingCancelled("Counting by time took too long; choose a shorter time.");

/** Explains how to avoid the cancellation of a statement that took too long. */
function refusingCancelled(message: string): (thrown: unknown) => never {
  return (thrown) => {
    const isCancelled = isAppError(thrown) && sqlStateOf(thrown.cause) === statementTimeout;
    throw isCancelled ? new AppError("service_unavailable", message, { cause: thrown }) : thrown;
  };
}
