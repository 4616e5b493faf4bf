import { randomBytes } from "node:crypto";
import { createProject } from "../../chaos/src/create-project.ts";
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

/** Creates another project in the same organization and returns its key. */
export async function addProject({ account }: Tenant, name: string): Promise<string> {
  if (account === null) throw new Error("Without accounts each project is a tenant.");
  const { status, body } = await account.send("POST", "/projects", { body: { name } });
  if (status !== 201) throw new Error(`A project was answered ${status}: ${JSON.stringify(body)}`);
  return (body.project as { apiKey: string }).apiKey;
}
