import type { Handler } from "@touchstone/service-kit";
import { requireProject } from "@touchstone/service-kit";
import type { IngestClient } from "../../ingest-client.ts";
import type { ProfileStore } from "../../profiles/profile-store.ts";
import { showTrackedAgents } from "./show-tracked-agents.ts";

/** GET /ingest/tracked-agents (completions 9.1). */
export function listTrackedAgents(dependencies: { profiles: ProfileStore; ingest: IngestClient }): Handler {
  return (call) => showTrackedAgents(dependencies, requireProject(call));
}
