import { limits } from "@touchstone/contracts";
import type { Database } from "@touchstone/db";
import { itemPrefix } from "./media-store.ts";

export interface MediaExportQuery {
  projectId: string;
  /** Epoch milliseconds of `createdAt`; null = all. */
  sinceMs: number | null;
}

/** A medium with one of the traces, or items of datasets, that have it. */
export interface ExportedMedia {
  id: string;
  contentType: string;
  contentLength: number;
  /** In base64. */
  sha256: string;
  /** Null: an item has it, or nothing has. */
  traceId: string | null;
  datasetItemId: string | null;
  spanId: string | null;
  field: string | null;
  createdAt: Date;
}

/** Reads the media of a project whose content is stored, once for each of their links. */
export interface MediaExportStore {
  /** The next rows after one, or the first ones; empty at the end. */
  readPage(query: MediaExportQuery, last: ExportedMedia | null): Promise<ExportedMedia[]>;
  count(query: MediaExportQuery): Promise<number>;
}

interface Row {
  id: string;
  content_type: string;
  content_length: number;
  sha256: string;
  trace_key: string | null;
  span_id: string | null;
  field: string | null;
  created_at: Date;
}

const exported = `
  from ingest.media
  left join ingest.media_links links on links.project_id = media.project_id and links.media_id = media.id
  where media.project_id = $1 and media.uploaded_at is not null
    and ($2::float8 is null or coalesce(links.created_at, media.created_at) >= to_timestamp($2 / 1000))`;

export function createMediaExportStore(database: Database): MediaExportStore {
  return {
    async readPage({ projectId, sinceMs }, last) {
      const { rows } = await database.readScoped<Row>([projectId], {
        name: "media_export",
        text: `
          select media.id, content_type, content_length, encode(sha256, 'base64') as sha256, links.trace_key,
            nullif(links.span_id, '') as span_id, nullif(links.field, '') as field,
            coalesce(links.created_at, media.created_at) as created_at
          ${exported} and media.id >= $3
            and (media.id, coalesce(links.trace_key, ''), coalesce(links.span_id, ''), coalesce(links.field, ''))
              > ($3, $4, $5, $6)
          order by media.id, links.trace_key, links.span_id, links.field
          limit ${limits.exportPageRows}`,
        values: [
          projectId,
          sinceMs,
          last?.id ?? "",
          last === null ? "" : keyOf(last),
          last?.spanId ?? "",
          last?.field ?? "",
        ],
      });
      return rows.map(({ id, sha256, field, ...row }) => ({
        ...{ id, sha256, field },
        contentType: row.content_type,
        contentLength: row.content_length,
        ...readKey(row.trace_key),
        spanId: row.span_id,
        createdAt: row.created_at,
      }));
    },

    async count({ projectId, sinceMs }) {
      const { rows } = await database.readScoped<{ rows: string }>([projectId], {
        name: "media_export_count",
        text: `select count(*) as rows ${exported}`,
        values: [projectId, sinceMs],
      });
      return Number(rows[0]?.rows ?? 0);
    },
  };
}

/** What the key of a link names. */
function readKey(key: string | null): Pick<ExportedMedia, "traceId" | "datasetItemId"> {
  return key?.startsWith(itemPrefix)
    ? { traceId: null, datasetItemId: key.slice(itemPrefix.length) }
    : { traceId: key, datasetItemId: null };
}

/** Empty: nothing has it. */
function keyOf({ traceId, datasetItemId }: ExportedMedia): string {
  return datasetItemId === null ? (traceId ?? "") : `${itemPrefix}${datasetItemId}`;
}
