import { expect, onTestFinished, test, vi } from "vitest";
import { Touchstone } from "../src/index.ts";
import { send } from "../src/send.ts";

/** How long a request to a path is waited for. */
async function deadlineOf(path: string, method = "POST"): Promise<number | undefined> {
  const timers = vi.spyOn(globalThis, "setTimeout");
  onTestFinished(() => timers.mockRestore());
  await send(new Request(`http://touchstone${path}`, { method }), async () => new Response());
  return timers.mock.lastCall?.[1];
}

test.each(["/api/v1/custom-agent-evaluations/runs/r/results", "/mcp", "/mcp?write=1"])(
  "POST %s waits for judges",
  async (path) => {
    expect(await deadlineOf(path)).toBe(290_000);
  },
);

test("other requests wait for less than a minute", async () => {
  expect(await deadlineOf("/api/v1/scores")).toBe(40_000);
  expect(await deadlineOf("/mcp", "GET")).toBe(40_000);
});

test("a client sends its requests by the fetch that it was given", async () => {
  const sent: string[] = [];
  const client = new Touchstone({
    ...{ url: "http://touchstone", apiKey: "key" },
    fetch: async (request) => {
      sent.push((request as Request).url);
      return Response.json({ projects: [] });
    },
  });
  await client.api.GET("/api/v1/projects");
  await client.request("/api/v1/export/traces");

  expect(sent).toEqual(["http://touchstone/api/v1/projects", "http://touchstone/api/v1/export/traces"]);
});
