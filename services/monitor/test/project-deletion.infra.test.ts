import { monitorDataDeleted } from "@touchstone/contracts";
import { testProjectDeletion } from "@touchstone/service-tests";
import { relayEvents } from "../src/outbox.ts";
import { monitorSchema, removeDeletedProjects } from "../src/schema.ts";

const graded = { polarity: "failure", severity: "low" };

testProjectDeletion({
  service: "monitor",
  ...monitorSchema,
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
