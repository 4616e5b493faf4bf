import { limits } from "@touchstone/contracts";
import type { Queryable } from "@touchstone/db";
import { AppError } from "@touchstone/service-kit";
import type { DocumentTable } from "./document-reader.ts";

/**
 * What decides about each of a project's patterns or custom scorers whether a trace is due it, oldest first, within a transaction.
 * `columns` identify it.
 */
export async function readChoices<Row extends { document: object }>(
  transaction: Queryable,
  projectId: string,
  { table, columns }: DocumentTable,
): Promise<Row[]> {
  const { rows } = await transaction.query<Row>({
    name: `${table}_choices`,
    text: `
      select ${columns}, coalesce(choice, document) as document
      from monitor.${table}
      where project_id = $1
      order by created_at, id`,
    values: [projectId],
  });
  return rows;
}

/** What the enabled documents of a project may have together. */
const enabledMax = {
  patterns: { bytes: limits.enabledPatternsMaxBytes, what: "patterns" },
  custom_evaluators: { bytes: limits.enabledCustomEvaluatorsMaxBytes, what: "custom evaluators" },
} as const;

/**
 * Stores a document with `put`, under the lock of its project. Throws `bad_request` when it makes the enabled ones too large. Those
 * that earlier versions let grow may become smaller.
 */
export async function putFitting(
  transaction: Queryable,
  { projectId, table, isEnabled }: { projectId: string; table: DocumentTable["table"]; isEnabled: boolean },
  put: () => Promise<void>,
): Promise<void> {
  if (!isEnabled) return put();
  const before = await measureEnabled(transaction, projectId, table);
  await put();
  const after = await measureEnabled(transaction, projectId, table);
  const { bytes, what } = enabledMax[table];
  if (after <= Math.max(before, bytes)) return;
  throw new AppError("bad_request", `The enabled ${what} of a project have at most ${bytes} bytes together`);
}

async function measureEnabled(
  transaction: Queryable,
  projectId: string,
  table: DocumentTable["table"],
): Promise<number> {
  const { rows } = await transaction.query<{ bytes: number }>({
    name: `${table}_measure`,
    text: `
      select coalesce(sum(octet_length(document::text)), 0)::float8 as bytes
      from monitor.${table}
      where project_id = $1
        and coalesce((choice ->> 'enabled')::boolean, true)`,
    values: [projectId],
  });
  return rows[0]?.bytes ?? 0;
}
