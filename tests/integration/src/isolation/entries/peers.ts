import type { RouteEntries } from "../route-entry.ts";
import { plain } from "./parts.ts";

/** The paths of other systems' clients. */
export const peersEntries: RouteEntries = {
  getLangfuseHealth: plain,
  listLangfuseProjects: plain,
};
