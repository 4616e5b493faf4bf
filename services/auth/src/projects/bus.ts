import type { Bus, Consuming } from "@touchstone/bus";
import {
  type EventContract,
  evalRunsDataDeleted,
  ingestDataDeleted,
  judgeDataDeleted,
  monitorDataDeleted,
  type ProjectDataOwner,
} from "@touchstone/contracts";
import type { Logger } from "@touchstone/service-kit";
import type { ProjectDeletionStore } from "./project-deletion-store.ts";

type DataDeleted = typeof ingestDataDeleted & EventContract;

const confirmations: Readonly<Record<ProjectDataOwner, DataDeleted>> = {
  ingest: ingestDataDeleted,
  "eval-runs": evalRunsDataDeleted,
  judge: judgeDataDeleted,
  monitor: monitorDataDeleted,
};

/** Consumes the services' confirmations that they have removed all data of a deleted project. */
export async function consumeDataDeleted(
  bus: Bus,
  { projectDeletions, logger }: { projectDeletions: Pick<ProjectDeletionStore, "confirm">; logger: Logger },
): Promise<Consuming> {
  const owners = Object.entries(confirmations) as [ProjectDataOwner, DataDeleted][];
  const consuming = await Promise.all(
    owners.map(([service, contract]) =>
      bus.consume(contract, { durable: `auth-deleted-by-${service}` }, async ({ projectId }) => {
        if (await projectDeletions.confirm(projectId, service)) {
          logger.info({ projectId }, "a deleted project is gone from every service");
        }
      }),
    ),
  );
  return {
    async stop() {
      await Promise.all(consuming.map((one) => one.stop()));
    },
  };
}
