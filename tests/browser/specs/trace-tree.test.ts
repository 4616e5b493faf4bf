import { expect, test } from "vitest";
import { openPage } from "../src/open-page.ts";
import { createOwnProject, sample } from "../src/projects.ts";
import { inspect } from "../src/watch-page.ts";

const own = await createOwnProject();

test("the spans of a trace are folded to a depth, by menu and by keyboard, and the address keeps it", async () => {
  const names = ["folded root", "planning", "looking up", "asking"];
  const ids: string[] = [];
  for (const [depth, name] of names.entries()) {
    const parent = depth === 0 ? {} : { parent_span_id: names[depth - 1] };
    const { body } = await own.client.send("POST", "/ingest/traces", { name, span_id: name, ...parent });
    ids.push((body as { trace_id: string }).trace_id);
  }
  const { page, problems, close } = await openPage();
  const rows = page.getByRole("tree", { name: "Spans" }).getByRole("treeitem");
  const levels = () => rows.evaluateAll((all) => all.map((row) => Number(row.getAttribute("aria-level"))));
  const deepest = async () => Math.max(...(await levels()));
  try {
    await page.goto(`${own.base}/traces/${ids[0]}`);
    await expect.poll(levels).toEqual([1, 2, 3, 4]);
    await page.getByRole("button", { name: "Fold to depth" }).click();
    await page.getByRole("menuitem", { name: "Fold to depth 1" }).click();
    await page.waitForURL(/fold=d1/);
    await expect.poll(deepest).toBe(2);
    await page.reload();
    await rows.nth(1).waitFor();
    expect(await deepest()).toBe(2);
    await page.keyboard.press("0");
    await expect.poll(levels).toEqual([1, 2, 3, 4]);
    await page.keyboard.press("1");
    await expect.poll(deepest).toBe(2);
    expect(problems).toEqual([]);
  } finally {
    await close();
  }
});

test("the spans of a trace are requested while the page's script is still loading, and only once", async () => {
  const { page, problems, close } = await openPage();
  const asked: string[] = [];
  page.on("request", (request) => {
    if (request.url().endsWith(`/traces/${sample.traceId}/outline`)) asked.push(request.method());
  });
  try {
    await page.route("**/assets/index-*.js", async (route) => {
      await expect.poll(() => asked).toEqual(["GET"]);
      await route.continue();
    });
    await page.goto(`${sample.base}/traces/${sample.traceId}`);
    await page.getByRole("tree", { name: "Spans" }).getByRole("treeitem").first().waitFor();
    expect(asked).toEqual(["GET"]);
    expect(problems).toEqual([]);
  } finally {
    await close();
  }
});

test.each([1440, 390])("nothing on the page of a trace moves after the first paint, %i px wide", async (width) => {
  const { page, problems, close } = await openPage({ width });
  try {
    await page.goto(`${sample.base}/traces/${sample.traceId}`);
    await page.getByRole("tree", { name: "Spans" }).getByRole("treeitem").first().waitFor();
    await page.getByRole("region", { name: "Chosen span" }).getByRole("tab", { name: "Chat" }).waitFor();
    const strip = page.getByRole("slider").locator("canvas");
    await expect.poll(() => strip.getAttribute("height")).not.toBeNull();
    // The first paint is always among the entries, so that there are entries even if nothing moved.
    const moved = await page.evaluate<number>(`new Promise((resolve) => {
      const observer = new PerformanceObserver((list) => {
        resolve(list.getEntriesByType("layout-shift").reduce((sum, { value }) => sum + value, 0));
      });
      for (const type of ["layout-shift", "paint"]) observer.observe({ type, buffered: true });
    })`);
    // The moved share of the window times the distance.
    expect(moved).toBeLessThan(0.02);
    expect(problems).toEqual([]);
  } finally {
    await close();
  }
});

test.each([
  ["light", 1440],
  ["dark", 390],
] as const)("scores of the trace and of its span are shown with their sources, %s at %i px", async (theme, width) => {
  const span = (name: string, more: object) => own.client.send("POST", "/ingest/traces", { name, ...more });
  const { body } = await span("scored", { span_id: `scored ${width}` });
  const child = await span("scored step", { span_id: `step ${width}`, parent_span_id: `scored ${width}` });
  const traceId = (body as { trace_id: string }).trace_id;
  const scores = [
    { name: "Helpful", value: true, source: "human", author: "Ada", comment: "It answers the question." },
    { name: "Answer relevance", value: 0.8125, source: "model" },
    { name: "Tone", value: "polite", source: "code" },
    { name: "Recall", value: 0.0042, spanId: `step ${width}`, comment: "Two of the documents." },
  ];
  const sent = scores.map((score) => ({ traceId, ...score }));
  expect((await own.client.send("POST", "/scores", sent)).status).toBe(201);
  const { page, problems, settle, close } = await openPage({ theme, width });
  const items = (title: string) =>
    page.locator("section", { has: page.getByRole("heading", { name: title, exact: true }) }).getByRole("listitem");
  try {
    await page.goto(`${own.base}/traces/${traceId}?tab=scores`);
    await expect
      .poll(async () => (await items("Scores").allInnerTexts()).toSorted())
      .toEqual([
        expect.stringMatching(/^Answer relevance\s+0.813\s+model/),
        expect.stringMatching(/^Helpful\s+true\s+person[\s\S]+by Ada\s+It answers the question.$/),
        expect.stringMatching(/^Tone\s+polite\s+code/),
      ]);
    await settle();
    expect(await inspect(page)).toEqual([]);
    const stepId = (child.body as { trace_id: string }).trace_id;
    await page.goto(`${own.base}/traces/${traceId}?tab=scores&span=${stepId}`);
    await items("Scores of the span").getByText("0.0042").waitFor();
    await items("Scores of the trace").getByText("polite").waitFor();
    await settle();
    await page.screenshot({ path: `.cache/screens/scores-${theme}-${width}.png` });
    expect(await inspect(page)).toEqual([]);
    expect(problems).toEqual([]);
  } finally {
    await close();
  }
});

test("a trace that is still arriving is read again after a failed read", async () => {
  const send = (name: string, more: object) => own.client.send("POST", "/ingest/traces", { name, ...more });
  const { body } = await send("arriving", { span_id: "arriving" });
  await send("first step", { parent_span_id: "arriving" });
  const traceId = (body as { trace_id: string }).trace_id;
  const { page, problems, close } = await openPage({ mayFail: (_, status) => status === 500 });
  const reads = new Map<string, number>();
  try {
    // Of the trace and of its spans, the second read fails.
    await page.route(new RegExp(`/ingest/traces/${traceId}(/outline)?$`), async (route) => {
      const url = route.request().url();
      reads.set(url, (reads.get(url) ?? 0) + 1);
      if (reads.get(url) !== 2) return route.continue();
      await route.fulfill({ status: 500, json: { error: "Internal error" } });
    });
    await page.goto(`${own.base}/traces/${traceId}`);
    await page.getByRole("treeitem", { name: /first step/ }).waitFor();
    await expect.poll(() => [...reads.values()].every((count) => count >= 2), { timeout: 30_000 }).toBe(true);
    await send("late step", { parent_span_id: "arriving" });
    await page.getByRole("treeitem", { name: /late step/ }).waitFor();
    expect(problems).toEqual([]);
  } finally {
    await close();
  }
});
