import { AppError, type Call, decodeJsonText, parseJsonBody, readRowsType } from "@touchstone/service-kit";
import { type ImportedRows, importRows } from "./import-rows.ts";

/** The rows of a body: CSV, a JSON array or JSON lines. */
export async function readRows(call: Call): Promise<ImportedRows> {
  const type = readRowsType(call.headers["content-type"]);
  const bytes = await call.body();
  if (type === "json") parseJsonBody(bytes);
  return importRows(type, decodeJsonText(bytes));
}

/** Whether nothing is to be stored. */
export function readDryRun(call: Call): boolean {
  // An empty value is refused, not read as false: the client may have wanted a dry run.
  const [dryRun] = [call.query.dryRun ?? "false"].flat();
  if (dryRun !== "true" && dryRun !== "false") throw new AppError("bad_request", "dryRun must be true or false");
  return dryRun === "true";
}
