import { describe, expect, onTestFinished, test, vi } from "vitest";
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

describe("a score", () => {
  /** How often it is sent while a proxy has no answer of the server. */
  async function countSent(body: unknown, path = "/api/v1/scores"): Promise<number> {
    let sent = 0;
    const text = typeof body === "string" ? body : JSON.stringify(body);
    const request = new Request(`http://touchstone${path}`, { method: "POST", body: text });
    const answered = send(request, async () => {
      sent += 1;
      return new Response("Bad gateway", { status: 502 });
    });
    await expect(answered).rejects.toMatchObject({ status: 502 });
    return sent;
  }

  test("with an id is sent again, since it replaces itself", async () => {
    expect(await countSent({ id: "a", name: "n", value: 1 })).toBe(2);
    expect(await countSent([{ id: "a", name: "n", value: 1 }])).toBe(2);
  });

  test("without an id is not, since there would be two", async () => {
    expect(await countSent({ name: "n", value: 1 })).toBe(1);
    expect(await countSent([{ id: "a" }, { name: "n" }])).toBe(1);
    expect(await countSent({ name: "n", value: 1 }, "/api/public/scores")).toBe(1);
    expect(await countSent("not JSON")).toBe(1);
  });
});

test("a key that cannot be sent is not shown", () => {
  const make = () => new Touchstone({ url: "http://touchstone", apiKey: "tsk_secret\nsecond" });
  expect(make).toThrow("The key has a character that no key has: check TOUCHSTONE_API_KEY, or apiKey.");
});
