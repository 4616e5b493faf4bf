import { AppError, type Call, isUuid, requireProject } from "@touchstone/service-kit";

/** The project of a call and the id in its path; an id that cannot be one answers like one that does not exist. */
export function readToolSchemaId(call: Call): { projectId: string; id: string } {
  const projectId = requireProject(call);
  const { toolSchemaId = "" } = call.params;
  if (!isUuid(toolSchemaId)) throw toolSchemaNotFound();
  return { projectId, id: toolSchemaId };
}

export function toolSchemaNotFound(): AppError {
  return new AppError("not_found", "Tool schema not found");
}
