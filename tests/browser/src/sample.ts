import { inject } from "vitest";
import { createClient } from "../../integration/src/client.ts";
import type { DemoProject } from "./demo-project.ts";

/** The sample project, which all test files read and none changes; a test that writes has a project of its own (`own-project.ts`). */
export const sample: DemoProject = inject("sample");

/** Reads something of the sample project; `route` is the path after `/api/v1`. */
export async function readSample(route: string): Promise<unknown> {
  const { status, body } = await createClient(inject("installation")).send("GET", route);
  if (status !== 200) throw new Error(`GET ${route} answered ${status}: ${JSON.stringify(body)}`);
  return body;
}
