import { AppError, type Call } from "@touchstone/service-kit";
import type { ProjectSettingsStore, StoredSettings } from "./project-settings-store.ts";

/** The project of the caller's key, with its settings. Throws 401 where there is none any more. */
export async function requireOwnProject(
  settings: ProjectSettingsStore,
  { identity }: Call,
): Promise<StoredSettings & { projectId: string }> {
  const { projectId } = identity;
  const stored = projectId === null ? null : await settings.read(projectId);
  if (projectId === null || stored === null) throw new AppError("unauthorized", "Invalid or missing API key");
  return { projectId, ...stored };
}
