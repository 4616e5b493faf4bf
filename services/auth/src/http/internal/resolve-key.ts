import { internalRoutes } from "@touchstone/contracts";
import type { Handler } from "@touchstone/service-kit";
import type { ProjectStore } from "../../projects/project-store.ts";

/** The gateway's question: whose key is this? */
export function resolveKey({ projects }: { projects: ProjectStore }): Handler {
  return async (call) => {
    const { apiKey } = internalRoutes.resolveKey.body.parse(await call.json());
    return { status: 200, body: { key: await projects.resolveKey(apiKey) } };
  };
}
