import { routes } from "@touchstone/contracts";
import type { Call, ServedRoute } from "@touchstone/service-kit";
import { expect, test } from "vitest";
import { promptRoutes } from "../src/langfuse/prompt-routes.ts";

const [createdAt, updatedAt] = ["2026-01-02T03:04:05.000Z", "2026-01-02T03:04:05.000Z"];
const stored = { _id: "id", name: "p", version: 1, text: "Hello.", labels: [], tags: [], createdAt, updatedAt };

/** Asks a route; returns what its owner was asked, and the answer. */
async function ask(route: unknown, sent: string, reply: string): Promise<{ asked: string; answer: string }> {
  let asked = "";
  const evalRuns = {
    ask: async (_route: unknown, _call: unknown, { body = "" }: { body?: string } = {}) => {
      asked = body;
      return reply;
    },
  };
  const [served] = promptRoutes({ evalRuns }).filter((each) => each.route === route) as [ServedRoute];
  const bytes = Buffer.from(sent);
  const headers = { "content-type": "application/json" };
  const call = { headers, rawBody: bytes, body: async () => bytes, params: {}, query: {} } as unknown as Call;
  const { body } = (await served.handle(call)) as { body: string };
  return { asked, answer: body };
}

test.each([
  ["text", '"Answer with 1e2."', `"type":"text","text":"Answer with 1e2."`],
  ["chat", '[{"role":"user","content":"x","weight":1.0}]', `"type":"chat","messages":`],
])("numbers in a %s prompt and its config keep their spelling, sent and read", async (type, prompt, native) => {
  const config = '{"seed":9007199254740993,"temperature":1.0}';
  const reply = `${JSON.stringify(stored).slice(0, -1)},${native}${type === "chat" ? prompt : ""},"config":${config}}`;
  const sent = `{"name":"p","type":"${type}","prompt":${prompt},"config":${config},"unknown":1}`;

  const made = await ask(routes.createLangfusePrompt, sent, reply);
  const read = await ask(routes.getLangfusePrompt, "", reply);

  expect(made.asked).toBe(
    `{"type":"${type}","${type === "chat" ? "messages" : "text"}":${prompt},"name":"p","config":${config}}`,
  );
  for (const { answer } of [made, read]) {
    expect(answer).toContain(`"prompt":${prompt},"config":${config}`);
    expect(JSON.parse(answer)).toMatchObject({
      name: "p",
      version: 1,
      type,
      resolutionGraph: null,
      commitMessage: null,
    });
  }
});
