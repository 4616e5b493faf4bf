import { exportCountQuery } from "@touchstone/contracts";
import type { Handler } from "@touchstone/service-kit";
import type { ExportedEntity, ExportStore } from "../../export/export-store.ts";
import { exportedTables } from "../../export/exported-tables.ts";

/** How much there is to export of each table, for the gateway's index. */
export function countExported({ exports }: { exports: ExportStore }): Handler {
  return async (call) => {
    const query = exportCountQuery.parse(await call.json());
    const names = Object.keys(exportedTables) as ExportedEntity[];
    const entities = await Promise.all(
      names.map(async (entity) => ({ entity, rows: await exports.count(entity, query) })),
    );
    return { status: 200, body: { entities } };
  };
}
