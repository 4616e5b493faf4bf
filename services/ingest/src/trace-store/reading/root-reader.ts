import type { Database } from "@touchstone/db";
import type { TraceStore } from "../trace-store.ts";
import { createComposeLoader } from "./compose-store.ts";
import { buildRootMatch, buildRootsRead, type RootSliceRecord } from "./root-list.ts";
import { composeSlices } from "./span-slices.ts";

/** Reads roots by their ids, for lists and the live tail. */
export function createRootReader(reading: Database): Pick<TraceStore, "readRoots" | "matchRoots"> {
  return {
    async *readRoots(projectId, ids) {
      const loader = createComposeLoader((statement) => reading.readScoped([projectId], statement), projectId);
      for (let left = ids; left.length > 0; ) {
        const { rows } = await reading.readScoped<RootSliceRecord>([projectId], buildRootsRead(projectId, left));
        yield* composeSlices(rows, loader, { metadata: false });
        const last = rows.at(-1);
        left = last === undefined || last.is_whole ? [] : left.slice(last.place);
      }
    },

    async matchRoots(projectId, filter, ids) {
      const { rows } = await reading.readScoped<{ id: string }>([projectId], buildRootMatch(projectId, filter, ids));
      return new Set(rows.map(({ id }) => id));
    },
  };
}
