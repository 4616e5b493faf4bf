import type { ProjectRow } from "../../model/span-row.ts";

/** A job up to this size is one statement; a larger one is several statements in one transaction. */
const statementRowsMax = 1024;
const statementBytesMax = 8 * 1024 * 1024;

/** The rows in order, in parts of one statement each. */
export function splitRows(rows: readonly ProjectRow[]): ProjectRow[][] {
  const parts: ProjectRow[][] = [];
  let part: ProjectRow[] = [];
  let bytes = 0;
  for (const item of rows) {
    const size = item.row.body.length;
    if (part.length > 0 && (part.length >= statementRowsMax || bytes + size > statementBytesMax)) {
      parts.push(part);
      part = [];
      bytes = 0;
    }
    part.push(item);
    bytes += size;
  }
  if (part.length > 0) parts.push(part);
  return parts;
}
