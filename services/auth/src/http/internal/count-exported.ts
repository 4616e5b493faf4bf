import { exportCountQuery } from "@touchstone/contracts";
import type { Handler } from "@touchstone/service-kit";
import type { AuditReader } from "../../audit/audit-reader.ts";
import type { ReadExportedProject } from "../../projects/exported-project.ts";

/** How much auth has to export, for the gateway's index. */
export function countExported(dependencies: { readExportedProject: ReadExportedProject; audit: AuditReader }): Handler {
  return async (call) => {
    const { projectId, sinceMs } = exportCountQuery.parse(await call.json());
    const [project, acts] = await Promise.all([
      dependencies.readExportedProject(projectId, sinceMs),
      dependencies.audit.countOfProject(projectId, sinceMs),
    ]);
    const entities = [
      { entity: "project-settings", rows: project === null ? 0 : 1 },
      { entity: "audit-events", rows: acts },
    ];
    return { status: 200, body: { entities } };
  };
}
