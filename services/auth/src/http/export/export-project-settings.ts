import { AppError, answerLines, type Handler, readSince } from "@touchstone/service-kit";
import type { ExportedProject, ReadExportedProject } from "../../projects/exported-project.ts";

/** `GET /export/project-settings`: one line, the project's row without its key (completions 13). */
export function exportProjectSettings(dependencies: { readExportedProject: ReadExportedProject }): Handler {
  return async (call) => {
    const { projectId } = call.identity;
    if (projectId === null) throw new AppError("unauthorized", "Invalid or missing API key");
    const sinceMs = readSince(call.query);
    return answerLines<ExportedProject>("project-settings", {
      async readPage(last) {
        const project = last === null ? await dependencies.readExportedProject(projectId, sinceMs) : null;
        return project === null ? [] : [project];
      },
      render: (project) => JSON.stringify({ ...project, projectId }),
    });
  };
}
