import { type Clock, type Handler, requireProject, type ServedRoute } from "@touchstone/service-kit";
import { createConfigBook } from "./config-book.ts";
import type { ConfigStore } from "./config-store.ts";
import { evaluationSettingsRoutes } from "./evaluation-settings-routes.ts";
import { createGroupBook } from "./group-book.ts";
import type { GroupStore } from "./group-store.ts";
import { judgeScorerRoutes } from "./judge-scorers-routes.ts";
import type { LockGraders } from "./lock-graders.ts";
import type { MemberReader } from "./member-reader.ts";
import { onlineEvaluatorRoutes } from "./online-evaluators-routes.ts";
import { scorerGroupRoutes } from "./scorer-groups-routes.ts";
import { createProjectSeeder } from "./seed-project.ts";

export interface GraderRouteDependencies {
  lockGraders: LockGraders;
  configs: ConfigStore;
  groups: GroupStore;
  members: MemberReader;
  clock: Clock;
}

/** Routes of grading configs and scorer groups. A project's first call finds the seeded content. */
export function graderRoutes({ lockGraders, configs, groups, members, clock }: GraderRouteDependencies): ServedRoute[] {
  const seedProject = createProjectSeeder({ lockGraders, clock });
  const seeded =
    (handle: Handler): Handler =>
    async (call) => {
      await seedProject(requireProject(call));
      return handle(call);
    };
  const book = createConfigBook({ lockGraders, clock });
  const groupBook = createGroupBook({ lockGraders, groups, members, clock });
  const served: ServedRoute[] = [
    ...evaluationSettingsRoutes({ book, configs }),
    ...judgeScorerRoutes({ book, configs }),
    ...scorerGroupRoutes({ book: groupBook, groups, clock }),
    ...onlineEvaluatorRoutes({ book, configs }),
  ];
  return served.map(({ route, handle }) => ({ route, handle: seeded(handle) }));
}
