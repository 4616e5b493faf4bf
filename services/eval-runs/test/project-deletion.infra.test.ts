import { evalRunsDataDeleted } from "@touchstone/contracts";
import { testProjectDeletion } from "@touchstone/service-tests";
import { relayEvents } from "../src/outbox.ts";
import { evalRunsSchema, removeDeletedProjects } from "../src/schema.ts";

testProjectDeletion({
  service: "eval-runs",
  ...evalRunsSchema,
  confirmation: evalRunsDataDeleted,
  values: {
    runs: { status: "in_progress" },
    results: { status: "skipped", rating: null },
    analyses: { status: "running" },
  },
  start(setting) {
    const relay = relayEvents(setting);
    return [relay, removeDeletedProjects({ ...setting, onConfirmed: () => relay.wake() })];
  },
});
