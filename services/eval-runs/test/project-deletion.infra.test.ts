import path from "node:path";
import { evalRunsDataDeleted } from "@touchstone/contracts";
import { testProjectDeletion } from "@touchstone/service-tests";
import { relayEvents } from "../src/outbox.ts";
import { removeDeletedProjects } from "../src/schema.ts";

testProjectDeletion({
  service: "eval-runs",
  schema: "evals",
  migrations: path.join(import.meta.dirname, "../migrations"),
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
