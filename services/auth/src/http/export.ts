import { exportCountQuery, internalRoutes, limits, routes } from "@touchstone/contracts";
import { AppError, answerLines, type Handler, readSince, type ServedRoute } from "@touchstone/service-kit";
import type { AuditReader, ExportedAct } from "../audit/audit-reader.ts";
import type { ExportedProject, ReadExportedProject } from "../projects/exported-project-reader.ts";

/** Exports of auth as JSON lines (completions 13). */
export function listExportRoutes(dependencies: {
  readExportedProject: ReadExportedProject;
  audit: AuditReader;
}): ServedRoute[] {
  return [
    { route: routes.exportAuditEvents, handle: exportAuditEvents(dependencies) },
    { route: routes.exportProjectSettings, handle: exportProjectSettings(dependencies) },
    { route: internalRoutes.countAuthExport, handle: countExported(dependencies) },
  ];
}

/** `GET /export/audit-events`: the administrative acts on the project itself, by id (completions 13). */
function exportAuditEvents({ audit }: { audit: AuditReader }): Handler {
  return async (call) => {
    const { projectId } = call.identity;
    if (projectId === null) throw new AppError("unauthorized", "Invalid or missing API key");
    const sinceMs = readSince(call.query);
    return answerLines<ExportedAct>("audit-events", {
      projectId,
      readPage: (last) =>
        audit.listOfProject(projectId, { after: last?.id ?? null, sinceMs, limit: limits.exportPageRows }),
      render: (act) => JSON.stringify(act),
    });
  };
}

/** `GET /export/project-settings`: one line, the project's row without its key (completions 13). */
function exportProjectSettings(dependencies: { readExportedProject: ReadExportedProject }): Handler {
  return async (call) => {
    const { projectId } = call.identity;
    if (projectId === null) throw new AppError("unauthorized", "Invalid or missing API key");
    const sinceMs = readSince(call.query);
    return answerLines<ExportedProject>("project-settings", {
      projectId,
      async readPage(last) {
        const project = last === null ? await dependencies.readExportedProject(projectId, sinceMs) : null;
        return project === null ? [] : [project];
      },
      render: (project) => JSON.stringify({ ...project, projectId }),
    });
  };
}

/** Counts auth's exported rows, for the gateway's index. */
function countExported(dependencies: { readExportedProject: ReadExportedProject; audit: AuditReader }): Handler {
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
