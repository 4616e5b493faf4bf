import { accountsEntries } from "./entries/accounts.ts";
import { datasetsEntries } from "./entries/datasets.ts";
import { gradersEntries } from "./entries/graders.ts";
import { notificationsEntries } from "./entries/notifications.ts";
import { projectDataEntries } from "./entries/project-data.ts";
import { runsEntries } from "./entries/runs.ts";
import { tracesEntries } from "./entries/traces.ts";
import { watchingEntries } from "./entries/watching.ts";
import type { RouteEntries } from "./route-entry.ts";

/** What every route takes and answers. A route that is missing here fails the test of the matrix. */
export const routeEntries: RouteEntries = {
  ...tracesEntries,
  ...projectDataEntries,
  ...datasetsEntries,
  ...runsEntries,
  ...gradersEntries,
  ...accountsEntries,
  ...watchingEntries,
  ...notificationsEntries,
};
