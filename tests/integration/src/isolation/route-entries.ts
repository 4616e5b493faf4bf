import { accountsEntries } from "./entries/accounts.ts";
import { datasetsEntries } from "./entries/datasets.ts";
import { gradersEntries } from "./entries/graders.ts";
import { notificationsEntries } from "./entries/notifications.ts";
import { peersEntries } from "./entries/peers.ts";
import { projectDataEntries } from "./entries/project-data.ts";
import { runsEntries } from "./entries/runs.ts";
import { tracesEntries } from "./entries/traces.ts";
import { watchingEntries } from "./entries/watching.ts";
import type { RouteEntries } from "./route-entry.ts";

/** The ids and answers of every route. A route without an entry fails the matrix test. */
export const routeEntries: RouteEntries = {
  ...tracesEntries,
  ...projectDataEntries,
  ...datasetsEntries,
  ...runsEntries,
  ...gradersEntries,
  ...accountsEntries,
  ...watchingEntries,
  ...notificationsEntries,
  ...peersEntries,
};
