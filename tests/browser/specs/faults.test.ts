import { randomBytes } from "node:crypto";
import type { Request } from "playwright-core";
import { beforeAll, expect, test } from "vitest";
import { openPage } from "../src/open-page.ts";
import { createOwnProject, readSample, sample } from "../src/projects.ts";
import { inspect } from "../src/watch-page.ts";

const { base, client, post } = await createOwnProject();

beforeAll(async () => {
  await send({ name: "weather-agent", input: "How is the weather?" });
  await send({ name: "refund-agent", input: "I want my money back" });
});

async function send(trace: object): Promise<string> {
  return String((await post("/ingest/traces", trace)).traceId);
}

interface SentSpan {
  name: string;
  parent?: string;
  startMs: number;
  tookMs: number;
  attributes?: Record<string, string>;
}

/** Sends one OpenTelemetry trace; a span's id is its index. Returns the id under which the trace is listed. */
async function sendOtlp(spans: readonly SentSpan[]): Promise<string> {
  const traceId = randomBytes(16).toString("hex");
  const toNano = (ms: number): string => `${ms}000000`;
  const { status } = await client.send("POST", "/otel/v1/traces", {
    resourceSpans: [
      {
        scopeSpans: [
          {
            spans: spans.map(({ name, parent, startMs, tookMs, attributes = {} }) => ({
              traceId,
              spanId: Buffer.from(name.padEnd(8).slice(0, 8)).toString("hex"),
              ...(parent !== undefined && { parentSpanId: Buffer.from(parent.padEnd(8).slice(0, 8)).toString("hex") }),
              name,
              startTimeUnixNano: toNano(startMs),
              endTimeUnixNano: toNano(startMs + tookMs),
              attributes: Object.entries(attributes).map(([key, stringValue]) => ({ key, value: { stringValue } })),
            })),
          },
        ],
      },
    ],
  });
  expect(status).toBe(200);
  const { body } = await client.send("GET", `/ingest/traces?limit=1&search=${traceId}`);
  return String((body as { traces: { _id: string }[] }).traces[0]?._id);
}

const listOfTraces = /\/api\/v1\/ingest\/traces\?/;

test("a slow API shows placeholders first, and later keeps the loaded content visible", async () => {
  const { page, problems, close } = await openPage();
  let answer: () => void = () => undefined;
  const holdBack = async (): Promise<void> => {
    const held = new Promise<void>((resolve) => {
      answer = resolve;
    });
    await page.route(listOfTraces, async (route) => {
      await held;
      await route.continue();
    });
  };
  await holdBack();
  await page.goto(`${base}/traces`);
  await page.locator("main [aria-busy='true']").first().waitFor();
  answer();
  await page.getByText("I want my money back").first().waitFor();

  await page.unroute(listOfTraces);
  await holdBack();
  const asked = page.waitForRequest(listOfTraces);
  await page.getByRole("searchbox").fill("weather");
  await asked;
  expect(await page.getByText("I want my money back").first().isVisible()).toBe(true);
  answer();
  await page.getByText("I want my money back").first().waitFor({ state: "hidden" });
  expect(problems).toEqual([]);
  await close();
});

test.each([
  ["the overview", ""],
  ["an agent", `/agents/${sample.agentId}`],
  ["a judge", `/judges/${sample.judgeId}`],
  ["the models", "/settings/models"],
])("while a slow API answers for %s, what is shown does not move", async (_, path) => {
  const { page, problems, settle, close } = await openPage();
  await page.addInitScript(`
    window.shifts = 0;
    new PerformanceObserver((list) => { for (const { value } of list.getEntries()) window.shifts += value; })
      .observe({ type: "layout-shift", buffered: true });
  `);
  let requests = 0;
  await page.route("**/api/v1/**", async (route) => {
    requests += 1;
    // Longer than placeholders stay invisible, and not all at once.
    await page.waitForTimeout(200 + 150 * (requests % 4));
    await route.continue();
  });
  await page.goto(sample.base + path);
  await settle();
  // The browsers' makers call up to 0.1 good. A whole page that moves by a quarter of its height has about 0.2.
  expect(await page.evaluate<number>("window.shifts")).toBeLessThan(0.1);
  await page.unrouteAll({ behavior: "ignoreErrors" });
  expect(problems).toEqual([]);
  await close();
});

test("an overloaded API's error is shown as it was sent, and the page loads again when the wait is over", async () => {
  const { page, close } = await openPage({ mayFail: (_, status) => status === 503 });
  let refusals = 0;
  await page.route(listOfTraces, async (route) => {
    refusals += 1;
    if (refusals > 1) return route.continue();
    await route.fulfill({
      status: 503,
      headers: { "retry-after": "6", "x-request-id": "req-7" },
      json: { error: "The database is unavailable" },
    });
  });
  await page.goto(`${base}/traces`);
  await page.getByText("The database is unavailable").waitFor();
  await page.getByText("req-7").waitFor();
  await page.getByRole("button", { name: /^Trying again in/ }).waitFor();
  await page.getByText("I want my money back").first().waitFor();
  await close();
});

test("a server that does not answer is reported with the time since when, the loaded content stays, and all is read again afterwards", async () => {
  const { page, problems, close } = await openPage({ mayFail: (_, status) => status === null });
  const open = new Set<Request>();
  page.on("request", (request) => open.add(request));
  page.on("requestfinished", (request) => open.delete(request));
  page.on("requestfailed", (request) => open.delete(request));
  await page.clock.install();
  await page.goto(`${base}/traces?paused=true`);
  await page.getByText("I want my money back").first().waitFor();
  const api = "**/api/v1/**";
  await page.route(api, (route) => route.abort("connectionrefused"));
  await page.getByRole("searchbox").fill("weather");
  await page.getByText("The server has not answered since").waitFor();
  expect(await page.getByText("I want my money back").first().isVisible()).toBe(true);
  expect(await inspect(page)).toEqual([]);

  // The banner asks every 5 s by itself. While the page's clock is paused, only the button asks, once earlier requests have ended.
  await page.clock.pauseAt(Date.now() + 1_000);
  await expect.poll(() => open.size).toBe(0);
  const tryNow = page.getByRole("button", { name: "Try now", exact: true });
  const refused = page.waitForEvent("requestfailed");
  await tryNow.click();
  await refused;
  expect(await page.getByText("The server has not answered since").isVisible()).toBe(true);
  await page.unroute(api);
  const answered = page.waitForResponse("**/api/v1/auth/config");
  await tryNow.click();
  await answered;
  await page.clock.resume();
  await page.getByText("The server has not answered since").waitFor({ state: "hidden" });
  await page.getByText("I want my money back").first().waitFor({ state: "hidden" });
  await page.getByText("How is the weather?").first().waitFor();
  expect(await page.getByRole("searchbox").inputValue()).toBe("weather");
  expect(problems).toEqual([]);
  await close();
});

test("what could not be read is not called deleted or absent, and Try again reads it", async () => {
  const judged = { name: "Helpful", judge: { evaluationCriteria: "Does it help?" } };
  const judgeId = ((await post("/agent-monitoring/judge-scorers", judged)).judgeScorer as { _id: string })._id;
  const members = [{ refId: judgeId }];
  const group = await post("/agent-monitoring/scorer-groups", { name: "Careful", members });
  const groupId = (group.scorerGroup as { _id: string })._id;
  const raised = (await readSample("/monitor/signals?limit=50")) as { signals: { _id: string; patternKey: string }[] };
  const ofJudge = raised.signals.find(({ patternKey }) => patternKey.startsWith("online-eval:"));
  const { page, close } = await openPage({ mayFail: (_, status) => status === 500 });
  for (const [address, failing, claim, content] of [
    [`${base}/judges/${groupId}`, "scorer-groups", "Not here, or not yours", "Members"],
    [`${base}/judges/${judgeId}/agreement`, "judge-scorers", "Not here, or not yours", "rates no live traffic"],
    [`${base}/judges/${judgeId}`, "scorer-groups", "none", "Careful"],
    [`${base}/judges/${judgeId}`, "runs?*", "none of the newest 50", "none of the newest 50"],
    [`${sample.base}/inbox?open=${ofJudge?._id}`, "judge-scorers", "not there any more", "Raised by the judge"],
  ] as const) {
    const refused = `**/api/v1/**/${failing}`;
    await page.route(refused, (route) => route.fulfill({ status: 500, json: { error: "Internal error" } }));
    await page.goto(address);
    const retry = page.getByRole("main").getByRole("button", { name: "Try again", exact: true });
    await retry.first().waitFor();
    expect(await page.getByText(claim, { exact: claim === "none" }).count(), `${address} without ${failing}`).toBe(0);
    await page.unroute(refused);
    await retry.first().click();
    await page.getByText(content).first().waitFor();
    await retry.waitFor({ state: "detached" });
  }
  await close();
});

test("form input is kept when saving fails, and is saved by the next try", async () => {
  const { page, close } = await openPage({ mayFail: (_, status) => status === 429 });
  const datasets = "**/api/v1/**/datasets";
  await page.route(datasets, (route) =>
    route.request().method() === "POST"
      ? route.fulfill({ status: 429, headers: { "retry-after": "1" }, json: { error: "Too many requests" } })
      : route.continue(),
  );
  await page.goto(`${base}/datasets`);
  await page.getByRole("button", { name: "Start empty" }).click();
  await page.getByLabel("Name").fill("Refunds");
  await page.getByLabel("Description").fill("What the policy says");
  await page.getByRole("button", { name: "Create dataset" }).click();
  await page.getByRole("alert").getByText("Too many requests").waitFor();
  expect(await page.getByLabel("Name").inputValue()).toBe("Refunds");
  expect(await page.getByLabel("Description").inputValue()).toBe("What the policy says");
  await page.unroute(datasets);
  await page.getByRole("button", { name: "Create dataset" }).click();
  await page.getByRole("heading", { level: 1, name: "Refunds" }).waitFor();
  await close();
});

test("a page of a trace that was deleted meanwhile reports the deletion", async () => {
  const traceId = await send({ name: "gone", input: "Delete me" });
  const { page, close } = await openPage({ mayFail: (_, status) => status === 404 });
  await page.goto(`${base}/traces/${traceId}`);
  await page.getByText("Delete me").first().waitFor();
  const { status } = await client.send("DELETE", `/ingest/traces/${traceId}`);
  expect(status).toBe(200);
  await page.reload();
  await page.getByText("Not here, or not yours").waitFor();
  await close();
});

test("a trace that the server deleted only in part is not announced as deleted before the rest is gone", async () => {
  const traceId = await send({ name: "large", input: "Delete all of me" });
  const { page, close } = await openPage({ mayFail: (_, status) => status === 404 });
  let deletions = 0;
  await page.route(`**/api/v1/ingest/traces/${traceId}`, async (route) => {
    if (route.request().method() !== "DELETE") return route.continue();
    deletions += 1;
    if (deletions > 1) return route.continue();
    await route.fulfill({ json: { deletedTraces: 0, deletedSpans: 2_000, complete: false } });
  });
  await page.goto(`${base}/traces/${traceId}`);
  await page.getByText("Delete all of me").first().waitFor();
  await page.getByRole("main").getByRole("button", { name: "More", exact: true }).click();
  await page.getByRole("menuitem", { name: "Delete…", exact: true }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Delete 1 span", exact: true }).click();
  await page.getByText("Trace of 1 span deleted.").waitFor();
  expect(deletions).toBe(2);
  expect((await client.send("GET", `/ingest/traces/${traceId}`)).status).toBe(404);
  await close();
});

test("a deletion of several traces passes over one that is gone already", async () => {
  const traceIds = [await send({ name: "twin-agent", input: "One" }), await send({ name: "twin-agent", input: "Two" })];
  const { page, close } = await openPage({ mayFail: (_, status) => status === 404 });
  await page.goto(`${base}/traces?search=twin-agent&paused=true`);
  await page.getByRole("checkbox", { name: "Select all that are loaded", exact: true }).check();
  expect((await client.send("DELETE", `/ingest/traces/${traceIds[1]}`)).status).toBe(200);
  await page.getByRole("main").getByRole("button", { name: "Delete", exact: true }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Delete 2 traces", exact: true }).click();
  await page.getByText("2 traces deleted.").waitFor();
  expect((await client.send("GET", `/ingest/traces/${traceIds[0]}`)).status).toBe(404);
  await close();
});

test("a deletion of several traces that is cancelled deletes no more", async () => {
  for (let index = 0; index < 6; index += 1) await send({ name: "kept-agent", input: `Question ${index}` });
  const { page, close } = await openPage();
  let deletions = 0;
  let answer = (): void => undefined;
  const held = new Promise<void>((resolve) => {
    answer = resolve;
  });
  await page.route(/\/ingest\/traces\/[^/?]+$/, async (route) => {
    if (route.request().method() !== "DELETE") return route.continue();
    deletions += 1;
    await held;
    return route.continue();
  });
  await page.goto(`${base}/traces?search=kept-agent&paused=true`);
  await page.getByRole("checkbox", { name: "Select all that are loaded", exact: true }).check();
  await page.getByRole("main").getByRole("button", { name: "Delete", exact: true }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Delete 6 traces", exact: true }).click();
  await expect.poll(() => deletions).toBe(4);
  await page.getByRole("dialog").getByRole("button", { name: "Cancel", exact: true }).click();
  answer();
  await page.getByText("4 traces deleted.").waitFor();
  expect(deletions).toBe(4);
  await close();
});

test("a tab from before an upgrade loads the new version, and reports when that does not help", async () => {
  const { page, settle, close } = await openPage({ mayFail: (url) => url.includes("/assets/") });
  const pageScript = "**/assets/traces-page-*.js";
  await page.goto(`${base}/settings/key`);
  await settle();
  await page.route(pageScript, (route) => route.fulfill({ status: 404, body: "" }));
  await page.getByRole("link", { name: "Traces" }).first().click();
  await page.getByText("A new version is here").waitFor();
  await page.unroute(pageScript);
  await page.getByRole("button", { name: "Reload" }).click();
  await page.getByText("I want my money back").first().waitFor();
  await close();
});

test("an upgrade that removes a tooltip or a menu keeps the page and its input, and the page asks for a reload", async () => {
  const { page, problems, close } = await openPage({ mayFail: (url) => url.includes("/assets/") });
  for (const part of ["tooltip", "menu"]) {
    await page.route(`**/assets/${part}-popup-*.js`, (route) => route.fulfill({ status: 404, body: "" }));
  }
  const isOffered = page.getByRole("alert").filter({ hasText: "A new version is here" });
  for (const useMissing of [
    () => page.getByRole("button", { name: "Close the panel" }).hover(),
    () => page.getByRole("button", { name: "Theme" }).click(),
  ]) {
    await page.goto(`${base}/agents?tab=patterns&open=new`);
    await page.getByLabel("Name", { exact: true }).fill("Late refunds");
    await useMissing();
    await isOffered.getByText("Save or copy what you typed, then reload.").waitFor();
    await isOffered.getByRole("button", { name: "Reload" }).waitFor();
    expect(await page.getByLabel("Name", { exact: true }).inputValue()).toBe("Late refunds");
  }
  expect(problems).toEqual([]);
  await close();
});

test("spans from clocks that disagree are drawn and marked", async () => {
  const nowMs = Date.now() - 60_000;
  const traceId = await sendOtlp([
    { name: "server", startMs: nowMs, tookMs: 1_000 },
    { name: "client", parent: "server", startMs: nowMs - 4_000, tookMs: 500 },
    { name: "worker", parent: "server", startMs: nowMs + 500, tookMs: 9_000 },
    { name: "future", parent: "server", startMs: nowMs + 86_400_000, tookMs: 10 },
  ]);
  const { page, problems, close } = await openPage();
  await page.goto(`${base}/traces/${traceId}`);
  await page
    .getByRole("treeitem", { name: /client/ })
    .getByText("early")
    .waitFor();
  await page
    .getByRole("treeitem", { name: /worker/ })
    .getByText("outlives")
    .waitFor();
  await page
    .getByRole("treeitem", { name: /future/ })
    .getByText("outlives")
    .waitFor();
  expect(problems).toEqual([]);
  await close();
});

test("an attribute of 20 MB is shortened and does not block a page", async () => {
  const traceId = await sendOtlp([
    {
      ...{ name: "large", startMs: Date.now() - 60_000, tookMs: 1_000 },
      attributes: { "input.value": "short", "app.blob": "abcdefghij ".repeat(1_900_000) },
    },
  ]);
  const { page, problems, close } = await openPage();
  await page.goto(`${base}/traces/${traceId}`);
  for (const name of ["Attributes", "Raw"]) {
    await page.getByRole("tab", { name }).click();
    await page.getByText("app.blob").first().waitFor();
  }
  await page.getByRole("tab", { name: "Attributes" }).click();
  await page.getByText("Some values were cut").waitFor();
  await page.getByRole("tab", { name: "Chat" }).click();
  await page.getByText("short").first().waitFor();
  expect(problems).toEqual([]);
  await close();
});
