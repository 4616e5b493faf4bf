import { exportCountQuery } from "@touchstone/contracts";
import type { Handler } from "@touchstone/service-kit";
import type { ReadExportedProject } from "../../projects/exported-project.ts";

/** How much auth has to export, for the gateway's index. */
export function countExported(dependencies: { readExportedProject: ReadExportedProject }): Handler {
  return async (call) => {
    const { projectId, sinceMs } = exportCountQuery.parse(await call.json());
    const project = await dependencies.readExportedProject(projectId, sinceMs);
    return { status: 200, body: { entities: [{ entity: "project-settings", rows: project === null ? 0 : 1 }] } };
  };
}
