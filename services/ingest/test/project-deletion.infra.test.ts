import { ingestDataDeleted } from "@touchstone/contracts";
import { testProjectDeletion } from "@touchstone/service-tests";
import { relayEvents } from "../src/background/relay-events.ts";
import { outboxEvents } from "../src/outbox.ts";
import { ingestSchema, removeDeletedProjects } from "../src/schema.ts";

testProjectDeletion({
  service: "ingest",
  ...ingestSchema,
  confirmation: ingestDataDeleted,
  values: { spans: { id: "00000000-0000-7000-8000-000000000001" } },
  start(setting) {
    const relay = relayEvents({ ...setting, events: outboxEvents });
    return [relay, removeDeletedProjects({ ...setting, onConfirmed: () => relay.wake() })];
  },
});
