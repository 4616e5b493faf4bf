import type { Database } from "@touchstone/db";
import { composeSpans } from "../trees/compose.ts";
import { createComposeLoader } from "../trees/compose-store.ts";
import { buildRootMatch, buildRootsRead } from "./root-list.ts";
import { type SpanRecord, toReadSpan } from "./span-select.ts";
import type { TraceStore } from "./trace-store.ts";

/** Reads roots by their ids, for lists and for the live tail. */
export function createRootReader(reading: Database): Pick<TraceStore, "readRoots" | "matchRoots"> {
  return {
    async readRoots(projectId, ids) {
      const { rows } = await reading.readScoped<SpanRecord>([projectId], buildRootsRead(projectId, ids));
      const loader = createComposeLoader((statement) => reading.readScoped([projectId], statement), projectId);
      return composeSpans(rows.map(toReadSpan), loader, { metadata: false });
    },

    async matchRoots(projectId, filter, ids) {
      const { rows } = await reading.readScoped<{ id: string }>([projectId], buildRootMatch(projectId, filter, ids));
      return new Set(rows.map(({ id }) => id));
    },
  };
}
