import { limits } from "@touchstone/contracts";
import type { Database } from "@touchstone/db";
import { composeSpans } from "../../assembly/compose.ts";
import { idBefore } from "../../model/ids.ts";
import type { ReadSpan } from "../../model/read-span.ts";
import { createComposeLoader } from "./compose-store.ts";
import { narrowColumns, type SpanRecord, toReadSpan } from "./span-select.ts";

/** An exported span: its shown values, and those that an import needs. */
export interface ExportedSpan extends ReadSpan {
  isRoot: boolean;
  /** Roots only. */
  agentName: string | null;
  /** Whole microseconds since the epoch, in decimal digits: the precision of the store. */
  startedAtMicros: string | null;
  endedAtMicros: string | null;
}

export interface SpanExportQuery {
  projectId: string;
  /** Epoch milliseconds of `createdAt`; null = all. */
  sinceMs: number | null;
}

/** Reads all spans of a project, roots and children, by id and hence by `createdAt`. */
export interface SpanExportStore {
  /** The next spans after an id, or the first ones; empty at the end. One short transaction. */
  readPage(query: SpanExportQuery, afterId: string | null): Promise<ExportedSpan[]>;
  /** The same spans, composed with other rows and log records. */
  compose(projectId: string, spans: readonly ExportedSpan[]): Promise<ExportedSpan[]>;
  count(query: SpanExportQuery): Promise<number>;
}

/**
 * A page of large spans ends earlier, because it is held until its reader has read it. A page has at least one span.
 */
const pageBytesMax = 8 * 1024 * 1024;

type ExportRecord = SpanRecord & {
  is_root: boolean;
  agent_name: string | null;
  started_micros: string | null;
  ended_micros: string | null;
};

export function createSpanExportStore(database: Database): SpanExportStore {
  return {
    async readPage({ projectId, sinceMs }, afterId) {
      const { rows } = await database.readScoped<ExportRecord>([projectId], {
        // In the order of the primary key. Bodies that do not fit into the page are not read.
        name: "spans_export",
        text: `
          select page.*, agents.name as agent_name
          from (
            select ${narrowColumns}, body, is_root,
              (extract(epoch from started_at) * 1000000)::bigint as started_micros,
              (extract(epoch from ended_at) * 1000000)::bigint as ended_micros,
              sum(octet_length(body)) over (order by id rows unbounded preceding) - octet_length(body) as bytes_before
            from ingest.spans
            where project_id = $1 and id > $2
            order by id
            limit ${limits.exportPageRows}
          ) page
          left join ingest.agents on agents.project_id = $1 and agents.id = page.agent_id and page.is_root
          where bytes_before < ${pageBytesMax}
          order by page.id`,
        values: [projectId, afterId ?? idBefore(sinceMs)],
      });
      return rows.map((record) => ({
        ...toReadSpan(record),
        isRoot: record.is_root,
        agentName: record.agent_name,
        startedAtMicros: record.started_micros,
        endedAtMicros: record.ended_micros,
      }));
    },

    compose: (projectId, spans) =>
      composeSpans(
        spans,
        createComposeLoader((statement) => database.readScoped([projectId], statement), projectId),
        { metadata: true },
      ),

    async count({ projectId, sinceMs }) {
      const { rows } = await database.readScoped<{ rows: string }>([projectId], {
        name: "spans_export_count",
        text: `
          select count(*) as rows
          from ingest.spans
          where project_id = $1 and id > $2`,
        values: [projectId, idBefore(sinceMs)],
      });
      return Number(rows[0]?.rows ?? 0);
    },
  };
}
