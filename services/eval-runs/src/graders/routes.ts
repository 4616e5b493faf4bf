import { routes } from "@touchstone/contracts";
import type { Clock, Handler, ServedRoute } from "@touchstone/service-kit";
import { requireProject } from "@touchstone/service-kit";
import { createEvaluationSettings } from "../http/evaluation-settings/create-evaluation-settings.ts";
import { deleteEvaluationSettings } from "../http/evaluation-settings/delete-evaluation-settings.ts";
import { deleteSettingsVersion } from "../http/evaluation-settings/delete-settings-version.ts";
import { getEvaluationSettings } from "../http/evaluation-settings/get-evaluation-settings.ts";
import { listEvaluationSettings } from "../http/evaluation-settings/list-evaluation-settings.ts";
import { listSettingsVersions } from "../http/evaluation-settings/list-settings-versions.ts";
import { updateEvaluationSettings } from "../http/evaluation-settings/update-evaluation-settings.ts";
import { createJudgeScorer } from "../http/judge-scorers/create-judge-scorer.ts";
import { deleteJudgeScorer } from "../http/judge-scorers/delete-judge-scorer.ts";
import { getJudgeScorer } from "../http/judge-scorers/get-judge-scorer.ts";
import { listJudgeScorers } from "../http/judge-scorers/list-judge-scorers.ts";
import { updateJudgeScorer } from "../http/judge-scorers/update-judge-scorer.ts";
import { createScorerGroup } from "../http/scorer-groups/create-scorer-group.ts";
import { deleteScorerGroup } from "../http/scorer-groups/delete-scorer-group.ts";
import { getScorerGroup } from "../http/scorer-groups/get-scorer-group.ts";
import { listScorerGroups } from "../http/scorer-groups/list-scorer-groups.ts";
import { readGroupRatings } from "../http/scorer-groups/read-group-ratings.ts";
import { updateScorerGroup } from "../http/scorer-groups/update-scorer-group.ts";
import { createConfigBook } from "./config-book.ts";
import type { ConfigStore } from "./config-store.ts";
import { createGroupBook } from "./group-book.ts";
import type { GroupStore } from "./group-store.ts";
import type { LockGraders } from "./lock-graders.ts";
import type { MemberReader } from "./member-reader.ts";
import { onlineEvaluatorRoutes } from "./online-evaluators-routes.ts";
import { createProjectSeeder } from "./seed-project.ts";

export interface GraderRouteDependencies {
  lockGraders: LockGraders;
  configs: ConfigStore;
  groups: GroupStore;
  members: MemberReader;
  clock: Clock;
}

/** Grading configs and scorer groups. The first call of a project finds what every project is given. */
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
    { route: routes.createEvaluationSettings, handle: createEvaluationSettings({ book }) },
    { route: routes.listEvaluationSettings, handle: listEvaluationSettings({ configs }) },
    { route: routes.getEvaluationSettings, handle: getEvaluationSettings({ configs }) },
    { route: routes.updateEvaluationSettings, handle: updateEvaluationSettings({ book }) },
    { route: routes.deleteEvaluationSettings, handle: deleteEvaluationSettings({ book }) },
    { route: routes.listSettingsVersions, handle: listSettingsVersions({ configs }) },
    { route: routes.deleteSettingsVersion, handle: deleteSettingsVersion({ configs }) },
    { route: routes.createJudgeScorer, handle: createJudgeScorer({ book }) },
    { route: routes.listJudgeScorers, handle: listJudgeScorers({ configs }) },
    { route: routes.getJudgeScorer, handle: getJudgeScorer({ configs }) },
    { route: routes.updateJudgeScorer, handle: updateJudgeScorer({ book }) },
    { route: routes.deleteJudgeScorer, handle: deleteJudgeScorer({ book }) },
    { route: routes.createScorerGroup, handle: createScorerGroup({ book: groupBook }) },
    { route: routes.listScorerGroups, handle: listScorerGroups({ groups }) },
    { route: routes.getScorerGroup, handle: getScorerGroup({ groups }) },
    { route: routes.updateScorerGroup, handle: updateScorerGroup({ book: groupBook }) },
    { route: routes.deleteScorerGroup, handle: deleteScorerGroup({ book: groupBook }) },
    ...onlineEvaluatorRoutes({ book, configs }),
    { route: routes.readGroupRatings, handle: readGroupRatings({ groups, clock }) },
  ];
  return served.map(({ route, handle }) => ({ route, handle: seeded(handle) }));
}
