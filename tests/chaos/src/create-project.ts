import { untilServed } from "./until-served.ts";

/** Creates a project through a gateway, so that a test counts only its own rows. */
export async function createProject(
  system: { url: string; apiKey: string },
  name: string,
): Promise<{ id: string; apiKey: string }> {
  const { status, text } = await untilServed(async () => {
    const response = await fetch(`${system.url}/api/v1/projects`, {
      method: "POST",
      headers: { "content-type": "application/json", "x-api-key": system.apiKey },
      body: JSON.stringify({ name }),
    });
    return { status: response.status, text: await response.text() };
  });
  if (status !== 201) throw new Error(`a project was answered ${status}: ${text}`);
  const { project } = JSON.parse(text) as { project: { _id: string; apiKey: string } };
  return { id: project._id, apiKey: project.apiKey };
}
