import { actOf, type Clock, type Handler, readJsonObject, requireProject } from "@touchstone/service-kit";
import { composeDefaults } from "../../profiles/compose-defaults.ts";
import type { ProfileStore } from "../../profiles/profile-store.ts";

/** PUT /agent-monitoring/settings/monitoring-defaults (completions 9.2): only what is sent changes. */
export function setMonitoringDefaults({ profiles, clock }: { profiles: ProfileStore; clock: Clock }): Handler {
  return async (call) => {
    const sent = (await readJsonObject(call)).value;
    const monitoringDefaults = await profiles.changeDefaults(requireProject(call), {
      now: new Date(clock.now()),
      compose: (stored) => composeDefaults(sent, stored),
      act: actOf(call.identity),
    });
    return { status: 200, body: { monitoringDefaults } };
  };
}
