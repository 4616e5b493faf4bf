import type { Database, Transaction } from "@touchstone/db";

/** A medium as it is announced. */
export interface AnnouncedMedia {
  /** See {@link mediaIdOf}. */
  id: string;
  sha256: Buffer;
  contentType: string;
  contentLength: number;
  /** What has it; null: not said. */
  link: MediaLink | null;
}

/** Begins the key of an item's link; its id follows. */
export const itemPrefix = "item:";

export interface MediaLink {
  /** Canonical; of an item of a dataset {@link itemPrefix} and its id. */
  traceKey: string;
  /** It is not looked whether its trace is stored. */
  isLasting: boolean;
  /** Empty: not said. */
  spanId: string;
  field: string;
}

export interface StoredMedia {
  id: string;
  sha256: Buffer;
  contentType: string;
  contentLength: number;
  /** Null: its content is missing. */
  uploadedAt: Date | null;
}

/** Media of projects: what is known of them, and their content in parts. */
export interface MediaStore {
  /**
   * Records it with its link, or without one keeps it until `dueAt` at least. Null if the project has other content with
   * this id. The type and length of content that is stored do not change.
   */
  announce(projectId: string, media: AnnouncedMedia, times: { now: Date; dueAt: Date }): Promise<StoredMedia | null>;
  find(projectId: string, id: string): Promise<StoredMedia | null>;
  /** Stores the content, unless it is stored. False if the media is gone. */
  storeContent(projectId: string, id: string, content: { parts: readonly Buffer[]; now: Date }): Promise<boolean>;
  /** The parts of the content in their order, each read when it is asked for. */
  readContent(projectId: string, id: string): AsyncGenerator<Buffer>;
}

interface MediaRecord {
  id: string;
  sha256: Buffer;
  content_type: string;
  content_length: number;
  uploaded_at: Date | null;
}

const columns = "id, sha256, content_type, content_length, uploaded_at";

export function createMediaStore(database: Database): MediaStore {
  return {
    async announce(projectId, { id, sha256, contentType, contentLength, link }, { now, dueAt }) {
      return database.scoped([projectId], async (transaction) => {
        // The link first: see the trigger of its table.
        if (link !== null) await addLink(transaction, { projectId, mediaId: id, link, now, dueAt });
        const { rows } = await transaction.query<MediaRecord>({
          name: "media_announce",
          text: `
            insert into ingest.media (
              project_id, id, sha256, content_type, content_length, created_at, due_at, kept_until
            )
            values ($1, $2, $3, $4, $5, $6, $7, $8)
            on conflict (project_id, id) do update
            set due_at = excluded.due_at, kept_until = coalesce(excluded.kept_until, media.kept_until),
              content_type = case when media.uploaded_at is null then excluded.content_type else media.content_type end,
              content_length =
                case when media.uploaded_at is null then excluded.content_length else media.content_length end
            where media.sha256 = excluded.sha256
            returning ${columns}`,
          values: [projectId, id, sha256, contentType, contentLength, now, dueAt, link === null ? dueAt : null],
        });
        return toMedia(rows[0]);
      });
    },

    async find(projectId, id) {
      const { rows } = await database.readScoped<MediaRecord>([projectId], {
        name: "media_find",
        text: `select ${columns} from ingest.media where project_id = $1 and id = $2`,
        values: [projectId, id],
      });
      return toMedia(rows[0]);
    },

    async storeContent(projectId, id, { parts, now }) {
      return database.scoped([projectId], async (transaction) => {
        const { rows } = await transaction.query<{ is_stored: boolean }>({
          name: "media_lock",
          text: `
            select uploaded_at is not null as is_stored
            from ingest.media
            where project_id = $1 and id = $2
            for update`,
          values: [projectId, id],
        });
        const [found] = rows;
        if (found === undefined || found.is_stored) return found !== undefined;
        for (const [number, bytes] of parts.entries()) {
          await transaction.query({
            name: "media_part_insert",
            text: "insert into ingest.media_parts (project_id, media_id, number, bytes) values ($1, $2, $3, $4)",
            values: [projectId, id, number, bytes],
          });
        }
        await transaction.query({
          name: "media_uploaded",
          text: "update ingest.media set uploaded_at = $3, content_length = $4 where project_id = $1 and id = $2",
          values: [projectId, id, now, parts.reduce((bytes, part) => bytes + part.length, 0)],
        });
        return true;
      });
    },

    async *readContent(projectId, id) {
      for (let number = 0; ; number += 1) {
        const { rows } = await database.readScoped<{ bytes: Buffer }>([projectId], {
          name: "media_part_read",
          text: "select bytes from ingest.media_parts where project_id = $1 and media_id = $2 and number = $3",
          values: [projectId, id, number],
        });
        if (rows[0] === undefined) return;
        yield rows[0].bytes;
      }
    },
  };
}

async function addLink(
  transaction: Transaction,
  {
    projectId,
    mediaId,
    link: { traceKey, isLasting, spanId, field },
    now,
    dueAt,
  }: { projectId: string; mediaId: string; link: MediaLink; now: Date; dueAt: Date },
): Promise<void> {
  await transaction.query({
    name: "media_link",
    text: `
      insert into ingest.media_links (project_id, media_id, trace_key, span_id, field, created_at, due_at)
      values ($1, $2, $3, $4, $5, $6, $7)
      on conflict do nothing`,
    values: [projectId, mediaId, traceKey, spanId, field, now, isLasting ? null : dueAt],
  });
}

function toMedia(row: MediaRecord | undefined): StoredMedia | null {
  if (row === undefined) return null;
  const { id, sha256, content_type: contentType, content_length: contentLength, uploaded_at: uploadedAt } = row;
  return { id, sha256, contentType, contentLength, uploadedAt };
}
