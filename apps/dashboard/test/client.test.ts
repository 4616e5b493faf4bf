import { afterEach, expect, test, vi } from "vitest";
import { createProjectApi } from "../src/api/client.ts";
import type { AuthConfig, Project } from "../src/api/connection.ts";

afterEach(() => vi.unstubAllGlobals());

const project: Project = {
  _id: "p1",
  name: "Default",
  apiKey: "old",
  isDefault: true,
  organizationId: null,
  createdAt: "2026-01-01T00:00:00.000Z",
};
const config = { mode: "disabled", needsSetup: false } as AuthConfig;

/** A server that accepts only `key`; returns the requests with the key of each. */
function serve(key: string): string[] {
  const asked: string[] = [];
  vi.stubGlobal("window", { location: { origin: "http://touchstone.test" } });
  vi.stubGlobal("fetch", async (request: Request) => {
    const sent = request.headers.get("x-api-key") ?? "none";
    asked.push(`${new URL(request.url).pathname} ${sent}`);
    await new Promise((resolve) => setTimeout(resolve, 1));
    return sent === key ? new Response("ok") : Response.json({ error: "Invalid or missing API key" }, { status: 401 });
  });
  return asked;
}

test("requests that are refused together ask once for the new key and all go on with it", async () => {
  const asked = serve("new");
  const onRefused = vi.fn(async () => ({ ...project, apiKey: "new" }));
  const api = createProjectApi({ config, project, onRefused });
  const { signal } = new AbortController();

  const answers = await Promise.all(["/a", "/b", "/c"].map((path) => api.open(path, { signal })));
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
  expect(onRefused).toHaveBeenCalledTimes(1);

  await api.open("/d", { signal });
  expect(asked.at(-1)).toBe("/d new");
});

test("a call that may wait for a judge is not given up before the gateway answers", async () => {
  serve("old");
  const timeout = vi.spyOn(AbortSignal, "timeout");
  const api = createProjectApi({ config, project, onRefused: async () => null });
  const params = { path: { runId: "r" } };
  await api.POST("/api/v1/custom-agent-evaluations/runs/{runId}/rescore", { params, parseAs: "text" });
  await api.GET("/api/v1/agents", { parseAs: "text" });
  const [ofPost = 0, ofGet = 0] = timeout.mock.calls.map(([ms]) => ms);
  timeout.mockRestore();
  expect(ofPost).toBeGreaterThan(250_000);
  expect(ofGet).toBeLessThan(60_000);
});

test("a key that has no replacement is refused, and asked about again the next time", async () => {
  serve("new");
  const onRefused = vi.fn(async () => project);
  const api = createProjectApi({ config, project, onRefused });
  const { signal } = new AbortController();
  for (const path of ["/a", "/b"]) await expect(api.open(path, { signal })).rejects.toMatchObject({ status: 401 });
  expect(onRefused).toHaveBeenCalledTimes(2);
});
