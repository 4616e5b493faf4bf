import { randomBytes } from "node:crypto";
import { createProject } from "../../chaos/src/create-project.ts";
import { untilServed } from "../../chaos/src/until-served.ts";
import { type Browser, signUp } from "../../integration/src/browser.ts";

/** `projects`: an installation without accounts. `organizations`: each account has its own organization. */
export type Setting = "projects" | "organizations";

/** An installation as a client sees it. */
export interface Address {
  url: string;
  setting: Setting;
  /** Of the default project; empty with organizations. */
  defaultKey: string;
}

/** A tenant with a project. */
export interface Tenant {
  projectId: string;
  apiKey: string;
  /** The session of the organization's owner; null without accounts. */
  account: (Browser & { email: string }) | null;
}

/** The password of every account that `signUp` makes. */
export const password = "correct horse battery";

/** Creates a tenant. Two tenants with the same name are still separate. */
export async function openTenant({ url, setting, defaultKey }: Address, name: string): Promise<Tenant> {
  if (setting === "projects") {
    const { id, apiKey } = await createProject({ url, apiKey: defaultKey }, name);
    return { projectId: id, apiKey, account: null };
  }
  const account = await signUp(url, `${name.replaceAll(" ", "-")}-${randomBytes(4).toString("hex")}`);
  const { status, body } = await account.send("GET", "/projects");
  const [project] = (body.projects ?? []) as { _id: string; apiKey: string }[];
  if (project === undefined) throw new Error(`The projects of ${name} were answered ${status}.`);
  return { projectId: project._id, apiKey: project.apiKey, account };
}

/**
 * Deletes the projects of an attack: what they left to do must not slow down the next one. Organizations stay, since no attack on
 * them leaves anything.
 */
export async function closeTenants(
  { url, setting, defaultKey }: Address,
  projectIds: readonly string[],
): Promise<void> {
  if (setting === "organizations") return;
  for (const id of projectIds) {
    const { status } = await untilServed(async () => {
      const answer = await fetch(`${url}/api/v1/projects/${id}`, {
        method: "DELETE",
        headers: { "x-api-key": defaultKey },
      });
      return { status: answer.status, text: await answer.text() };
    });
    if (status !== 204 && status !== 404) throw new Error(`The deletion of a project was answered ${status}.`);
  }
}

/** Creates another project in the same organization and returns its key. */
export async function addProject({ account }: Tenant, name: string): Promise<string> {
  if (account === null) throw new Error("Without accounts each project is a tenant.");
  const { status, body } = await account.send("POST", "/projects", { body: { name } });
  if (status !== 201) throw new Error(`A project was answered ${status}: ${JSON.stringify(body)}`);
  return (body.project as { apiKey: string }).apiKey;
}
