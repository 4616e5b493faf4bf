import { formatRevokedKeys, revokedKeysHeader } from "@touchstone/contracts";
import { AppError, type Handler } from "@touchstone/service-kit";
import { actOf } from "../../audit/record-audit.ts";
import type { ProjectStore } from "../../projects/project-store.ts";
import { uncached } from "../../projects/show-project.ts";

export interface RegenerateApiKeyDependencies {
  projects: ProjectStore;
  /** Says that an event was committed; it would go out a moment later anyhow. */
  announceRevocations: () => void;
}

/** `POST .../api-key/regenerate`: a new key for the project of the one that is sent, which stops (completions 11.3). */
export function regenerateApiKey({ projects, announceRevocations }: RegenerateApiKeyDependencies): Handler {
  return async ({ identity }) => {
    const project = identity.projectId === null ? null : await projects.rotateKey(identity.projectId, actOf(identity));
    if (project === null) throw new AppError("unauthorized", "Invalid or missing API key");
    announceRevocations();
    const headers = { ...uncached, [revokedKeysHeader]: formatRevokedKeys([project.id], "rotated") };
    return { status: 200, headers, body: { apiKey: project.apiKey } };
  };
}
