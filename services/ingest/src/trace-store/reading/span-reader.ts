import type { Database, Statement } from "@touchstone/db";
import { type ComposeLoader, composeSpans } from "../../assembly/compose.ts";
import type { TraceStore } from "../trace-store.ts";
import { createComposeLoader } from "./compose-store.ts";
import { buildNamedRead, type NamedRecord } from "./named-read.ts";
import { buildOutlineRead, type OutlineRecord, toOutlinedSpan } from "./outline-read.ts";
import { buildSessionPage, type SessionRecord } from "./session-page.ts";
import { buildTraceRead, type SpanRecord, toReadSpan } from "./span-select.ts";
import { composeSlices, readSpanSlices } from "./span-slices.ts";
import { readPlaces } from "./subtree-places.ts";

/** Reads spans by their ids, and those of a session or of a subtree. */
export function createSpanReader(
  reading: Database,
): Pick<TraceStore, "readTrace" | "listSessionSpans" | "readSubtree" | "readOutline" | "findNamed" | "readSpans"> {
  const loaderOf = (projectId: string): ComposeLoader =>
    createComposeLoader((statement) => reading.readScoped([projectId], statement), projectId);

  return {
    async readTrace(projectId, id) {
      const { rows } = await reading.readScoped<SpanRecord>([projectId], buildTraceRead(projectId, id));
      const [span] = await composeSpans(rows.map(toReadSpan), loaderOf(projectId), { metadata: true });
      return span ?? null;
    },

    async *listSessionSpans(projectId, sessionId) {
      let after: SessionRecord | null = null;
      do {
        const page: Statement = buildSessionPage(projectId, sessionId, after);
        const { rows } = await reading.readScoped<SessionRecord>([projectId], page);
        yield* composeSlices(rows, loaderOf(projectId), { metadata: true });
        after = rows.at(-1) ?? null;
      } while (after?.has_more);
    },

    async readSubtree(projectId, id, spansMax) {
      return (await readPlaces(reading, { projectId, id, spansMax }))?.places ?? null;
    },

    async readOutline(projectId, id, spansMax) {
      const found = await readPlaces(reading, { projectId, id, spansMax });
      if (found === null) return null;
      const ids = found.places.map((place) => place.id);
      const { rows } = await reading.readScoped<OutlineRecord>([projectId], buildOutlineRead(projectId, ids));
      const records = new Map(rows.map((row) => [row.id, row]));
      const [asked, ...others] = found.places.flatMap((place) => {
        const record = records.get(place.id);
        return record === undefined ? [] : [toOutlinedSpan(place, record)];
      });
      if (asked === undefined) return null;
      const spans = [asked, ...others.sort((one, other) => one.atMs - other.atMs)];
      return { spans, isDeeper: found.isDeeper };
    },

    async findNamed(projectId, named) {
      const { rows } = await reading.readScoped<NamedRecord>([projectId], buildNamedRead(projectId, named));
      return rows.map((row, index) => {
        const rootId = row.root_id ?? row.row_id;
        const spanRowId = named[index]?.spanId == null ? rootId : row.span_row_id;
        return rootId === null || spanRowId === null ? null : { rootId, spanRowId };
      });
    },

    async *readSpans(projectId, ids) {
      yield* readSpanSlices((statement) => reading.readScoped([projectId], statement), {
        projectId,
        ids,
        metadata: true,
      });
    },
  };
}
