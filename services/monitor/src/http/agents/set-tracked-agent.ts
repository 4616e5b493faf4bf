import {
  AppError,
  actOf,
  type Clock,
  type Handler,
  isUuid,
  readJsonObject,
  requireProject,
  uuidv7,
} from "@touchstone/service-kit";
import type { IngestClient } from "../../ingest-client.ts";
import type { ProfileStore } from "../../profiles/profile-store.ts";
import { showTrackedAgents } from "./show-tracked-agents.ts";

/**
 * PUT /ingest/tracked-agents (completions 9.1): to be tracked and to have a profile that is on is the same.
 * Traces are stored either way. An agent of another project is refused as one that is not there.
 */
export function setTrackedAgent(dependencies: { profiles: ProfileStore; ingest: IngestClient; clock: Clock }): Handler {
  const { profiles, ingest, clock } = dependencies;
  return async (call) => {
    const projectId = requireProject(call);
    const { agentId, tracked } = (await readJsonObject(call)).value;
    if (typeof agentId !== "string" || agentId === "") throw new AppError("bad_request", "agentId is required");
    if (typeof tracked !== "boolean") throw new AppError("bad_request", "tracked must be a boolean");
    if (!isUuid(agentId)) throw new AppError("not_found", "Agent not found");
    const [agent] = await ingest.findAgents(projectId, [agentId]);
    if (agent === undefined) {
      throw new AppError("forbidden", "Agent not found in workspace or insufficient permissions");
    }
    await profiles.change(projectId, agent.id, {
      id: uuidv7(clock.now()),
      now: new Date(clock.now()),
      compose: (document) => ({ ...document, enabled: tracked }),
      act: actOf(call.identity),
    });
    return showTrackedAgents(dependencies, projectId);
  };
}
