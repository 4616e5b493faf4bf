import { createDemoClient } from "./demo-client.ts";
import { isDemoBegun } from "./watching/load-webhooks.ts";

export interface DemoProject {
  apiKey: string;
  /** Null for the default project. */
  projectId: string | null;
}

interface Project {
  _id: string;
  name: string;
  apiKey: string;
}

const ownProjectName = "Demo";

/**
 * The project for the sample: the default project, whose key is printed and which the dashboard opens, if it is empty.
 * If it contains the user's traces, the sample gets a separate project.
 */
export async function chooseProject(target: { address: string; apiKey: string }): Promise<DemoProject> {
  const client = createDemoClient(target);
  const { totalCount } = await client.call<{ totalCount: number }>("GET", "/ingest/traces?limit=1");
  if (totalCount === 0 || (await isDemoBegun(client))) return { apiKey: target.apiKey, projectId: null };
  const { projects } = await client.call<{ projects: Project[] }>("GET", "/projects");
  const project =
    projects.find(({ name }) => name === ownProjectName) ??
    (await client.call<{ project: Project }>("POST", "/projects", { name: ownProjectName })).project;
  return { apiKey: project.apiKey, projectId: project._id };
}
