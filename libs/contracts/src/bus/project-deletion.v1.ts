import { z } from "zod";
import { defineEvent, type ServiceName } from "./define.ts";

const ofProject = z.object({ projectId: z.uuid() });

/** The services that store rows of projects: a deleted project is gone when all of them have confirmed. */
export const projectDataOwners = ["ingest", "eval-runs", "judge", "monitor"] as const satisfies readonly ServiceName[];
export type ProjectDataOwner = (typeof projectDataOwners)[number];

/**
 * A project was deleted: its key is dead, and its rows must be deleted everywhere. Sent again until every owner of data
 * has confirmed, so that no single delivery matters.
 */
export const projectDeleting = defineEvent({
  subject: "event.project.deleting.v1",
  publishedBy: "auth",
  consumedBy: projectDataOwners,
  durables: projectDataOwners.map((service) => `${service}-project-deleting`),
  body: ofProject,
});

/**
 * A service has deleted all rows of a project and accepts no more. One event for each service, so that no service can
 * impersonate another: NATS lets each publish its own.
 */
const dataDeletedBy = (service: ProjectDataOwner) =>
  defineEvent({
    subject: `event.project-data.deleted-by-${service}.v1`,
    publishedBy: service,
    consumedBy: ["auth"],
    durables: [`auth-deleted-by-${service}`],
    body: ofProject,
  });

export const ingestDataDeleted = dataDeletedBy("ingest");
export const evalRunsDataDeleted = dataDeletedBy("eval-runs");
export const judgeDataDeleted = dataDeletedBy("judge");
export const monitorDataDeleted = dataDeletedBy("monitor");
