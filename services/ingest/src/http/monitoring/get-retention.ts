import type { Handler } from "@touchstone/service-kit";
import { requireProject } from "@touchstone/service-kit";
import type { RetentionStore } from "../../retention/retention-store.ts";
import { showRetention } from "./show-retention.ts";

/** `GET /agent-monitoring/settings/retention` (completions 9.8). */
export function getRetention(dependencies: { retention: RetentionStore; retentionDays: number | null }): Handler {
  const { retention, retentionDays } = dependencies;
  return async (call) => showRetention(await retention.read(requireProject(call)), retentionDays);
}
