import { inject } from "vitest";
import { type ApiClient, createClient } from "../../integration/src/client.ts";
import type { DemoProject } from "./demo-project.ts";

/** The sample project, which all test files read and none changes; {@link createOwnProject} is for what a test writes. */
export const sample: DemoProject = inject("sample");
/** The operator's token of its installation. */
export const operatorsToken: string = inject("operatorsToken");

/** Reads something of the sample project; `route` is the path after `/api/v1`. */
export async function readSample(route: string): Promise<unknown> {
  const { status, body } = await createClient(inject("installation")).send("GET", route);
  if (status !== 200) throw new Error(`GET ${route} answered ${status}: ${JSON.stringify(body)}`);
  return body;
}

/** A project beside the sample project, with nothing in it. Its judge is the sample's script. */
export interface OwnProject {
  /** The prefix of each page's address. */
  base: string;
  /** The address of the installation. */
  url: string;
  apiKey: string;
  /** Has that key. */
  client: ApiClient;
  /** Sends a POST, and returns the body of its answer. Throws if it was refused. */
  post(route: string, body: object): Promise<Record<string, unknown>>;
}

/** Creates a project for one test file. The page's head shows its name, in which no test finds what it looks for. */
export async function createOwnProject(): Promise<OwnProject> {
  const { url, apiKey } = inject("installation");
  const { project } = (await post(createClient({ url, apiKey }), "/projects", { name: "Own project" })) as {
    project: { _id: string; apiKey: string };
  };
  const client = createClient({ url, apiKey: project.apiKey });
  return {
    base: `${url}/p/${project._id}`,
    url,
    apiKey: project.apiKey,
    client,
    post: (route, body) => post(client, route, body),
  };
}

async function post(client: ApiClient, route: string, sent: object): Promise<Record<string, unknown>> {
  const { status, body } = await client.send("POST", route, sent);
  if (status >= 300) throw new Error(`POST ${route} answered ${status}: ${JSON.stringify(body)}`);
  return body as Record<string, unknown>;
}
