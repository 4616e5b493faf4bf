import { internalRoutes, type langfuseHealth, type langfuseProjects, routes } from "@touchstone/contracts";
import { type Clock, type Handler, requireProject, type ServedRoute } from "@touchstone/service-kit";
import type { z } from "zod";
import type { Owner } from "../owner.ts";
import { datasetRoutes } from "./dataset-routes.ts";
import { ingestionRoutes } from "./ingestion-routes.ts";
import { mediaRoutes } from "./media-routes.ts";
import { promptRoutes } from "./prompt-routes.ts";
import { runItemRoutes } from "./run-item-routes.ts";
import { scoreRoutes } from "./score-routes.ts";

/** The paths of Langfuse's clients (dropin 1). */
export function langfuseRoutes(dependencies: {
  auth: Owner;
  ingest: Owner;
  evalRuns: Owner;
  clock: Clock;
}): ServedRoute[] {
  return [
    { route: routes.getLangfuseHealth, handle: getHealth },
    { route: routes.listLangfuseProjects, handle: listProjects(dependencies) },
    ...ingestionRoutes(dependencies),
    ...scoreRoutes(dependencies),
    ...promptRoutes(dependencies),
    ...datasetRoutes(dependencies),
    ...runItemRoutes(dependencies),
    ...mediaRoutes(dependencies),
  ];
}

/** The first version of Langfuse with prompts that have versions and labels at these paths, and an OTLP route. */
const imitatedVersion = "3.0.0";

const getHealth: Handler = async () => {
  const body: z.input<typeof langfuseHealth> = { status: "OK", version: imitatedVersion };
  return { status: 200, body };
};

/** GET /api/public/projects: clients check their key with it, and make links from the id. */
function listProjects({ auth }: { auth: Owner }): Handler {
  return async (call) => {
    const projectId = requireProject(call);
    const route = internalRoutes.readProjectName;
    const { name } = route.reply.parse(JSON.parse(await auth.ask(route, call, { body: "{}" })));
    const { organizationId } = call.identity;
    const body: z.input<typeof langfuseProjects> = {
      data: [{ id: projectId, name, organization: { id: organizationId ?? projectId, name }, metadata: {} }],
    };
    return { status: 200, body };
  };
}
