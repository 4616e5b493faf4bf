import { submittedRetention } from "@touchstone/contracts";
import { AppError, actOf, type Handler, requireProject } from "@touchstone/service-kit";
import type { RetentionStore } from "../../retention/retention-store.ts";
import { showRetention } from "./show-retention.ts";

/** `PUT /agent-monitoring/settings/retention`: in force with the next sweep (completions 9.8). */
export function setRetention(dependencies: { retention: RetentionStore; retentionDays: number | null }): Handler {
  const { retention, retentionDays } = dependencies;
  return async (call) => {
    const projectId = requireProject(call);
    const submitted = submittedRetention.safeParse(await call.json());
    if (!submitted.success) {
      throw new AppError("bad_request", "retentionDays must be a whole number of days, or null", {
        cause: submitted.error,
      });
    }
    const { retentionDays: asked } = submitted.data;
    const own = asked === null ? null : Math.max(0, asked);
    await retention.write(projectId, own, actOf(call.identity));
    return showRetention(own, retentionDays);
  };
}
