import { AppError, type Call } from "@touchstone/service-kit";

/** The project a call is for. The gateway names one on every evaluation route. */
export function requireProject(call: Call): string {
  const { projectId } = call.identity;
  if (projectId === null) throw new AppError("unauthorized", "Invalid or missing API key");
  return projectId;
}
