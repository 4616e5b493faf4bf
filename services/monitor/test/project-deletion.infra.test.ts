import path from "node:path";
import { monitorDataDeleted } from "@touchstone/contracts";
import { testProjectDeletion } from "@touchstone/service-tests";
import { relayEvents } from "../src/outbox.ts";
import { removeDeletedProjects } from "../src/schema.ts";

const graded = { polarity: "failure", severity: "low" };

testProjectDeletion({
  service: "monitor",
  schema: "monitor",
  migrations: path.join(import.meta.dirname, "../migrations"),
  confirmation: monitorDataDeleted,
  values: {
    events: { kind: "pattern", ...graded },
    signals: graded,
    verdicts: { rating: 5 },
    verdict_exports: { rating: 5 },
    session_scores: { rating: 5 },
    feedback: { rating: "up" },
  },
  start(setting) {
    const relay = relayEvents(setting);
    return [relay, removeDeletedProjects({ ...setting, onConfirmed: () => relay.wake() })];
  },
});
