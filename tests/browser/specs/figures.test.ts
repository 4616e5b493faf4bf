import type { Locator, Page } from "playwright-core";
import { expect, test } from "vitest";
import { openPage, withPage } from "../src/open-page.ts";
import { createOwnProject, readSample, sample } from "../src/projects.ts";

const asNumber = (text: string | null | undefined): number => Number(text?.replaceAll(",", ""));

/** Expects the list that is open to have this number of rows on all its pages, and goes back. */
async function expectTotal(page: Page, title: string, count: number): Promise<void> {
  await page.getByRole("heading", { level: 1, name: title, exact: true }).waitFor();
  await expect.poll(async () => asNumber(await page.locator("h1 + div").textContent())).toBe(count);
  await page.goBack();
}

const keyFigure = (page: Page, label: string): Locator =>
  page.getByRole("main").getByRole("link", { name: new RegExp(`^${label}`) });

test.each([
  ["Runs", "Traces", /^Runs([\d,]+)/],
  ["Failing", "Traces", /^Failing([\d,]+)/],
  ["Tool failures", "Traces", /([\d,]+) of [\d,]+ runs?/],
  ["Votes down", "Votes", /([\d,]+) of [\d,]+ votes?/],
])("the figure %s of the overview opens the rows it counts", (label, title, pattern) =>
  withPage("?window=7d", async (page) => {
    const figure = keyFigure(page, label);
    const count = asNumber(pattern.exec((await figure.textContent()) ?? "")?.[1]);
    expect(count).toBeGreaterThan(0);
    await figure.click();
    await expectTotal(page, title, count);
  }),
);

test("the overview counts the open signals and opens the inbox, and its cost is that of all traces of the window", () =>
  withPage("?window=7d", async (page) => {
    const { totalCount } = (await readSample("/monitor/signals?status=open,reopened&limit=1")) as {
      totalCount: number;
    };
    const signals = keyFigure(page, "Open signals");
    await expect.poll(() => signals.textContent()).toBe(`Open signals${totalCount}`);
    expect(await signals.getAttribute("href")).toMatch(/\/inbox$/);
    const href = (await keyFigure(page, "Cost").getAttribute("href")) ?? "";
    expect([...new URL(href, sample.base).searchParams.keys()]).toEqual(["from"]);
  }));

test("the figures of a model open its traces, its errors and the slow ones", () =>
  withPage("?window=7d", async (page) => {
    const { models } = (await readSample("/agent-monitoring/model-comparison?window=7d")) as {
      models: { model: string | null; traces: number; errors: number }[];
    };
    const [most] = models.filter(({ model, errors }) => model !== null && errors > 0);
    if (most === undefined) throw new Error("The sample has no model with an error.");
    const links = page
      .getByRole("table", { name: "Models", exact: true })
      .getByRole("row", { name: most.model as string })
      .getByRole("link");
    // Traces, errors, p50, p95, mean rating and cost.
    await expect.poll(() => links.count()).toBe(6);
    await links.nth(0).click();
    await expectTotal(page, "Traces", most.traces);
    await links.nth(1).click();
    await expectTotal(page, "Traces", most.errors);
    expect(await links.nth(3).getAttribute("href")).toMatch(/slow=\d+/);
  }));

test("a point of a chart opens the traces of its time, by Enter and by a click", () =>
  withPage("?window=7d", async (page) => {
    const { points } = (await readSample("/agent-monitoring/trend?window=7d")) as { points: { totalRuns: number }[] };
    const most = points.findIndex(({ totalRuns }) => totalRuns === Math.max(...points.map((each) => each.totalRuns)));
    const runs = points[most]?.totalRuns ?? 0;
    const chart = page.getByRole("group", { name: /^Health over time/ });
    await chart.focus();
    for (let index = 0; index <= most; index += 1) await page.keyboard.press("ArrowRight");
    await page.keyboard.press("Enter");
    await page.waitForURL(/\/traces\?/);
    await expectTotal(page, "Traces", runs);

    const plot = await chart.locator("svg").boundingBox();
    if (plot === null) throw new Error("The chart is not drawn.");
    const [left, right] = [44, 8];
    const x = plot.x + left + ((plot.width - left - right) / points.length) * (most + 0.5);
    await page.mouse.move(x, plot.y + 20);
    await page.mouse.click(x, plot.y + 20);
    await page.waitForURL(/\/traces\?/);
    await expectTotal(page, "Traces", runs);
  }));

test("the figures of an agent open its traces, those that fail and those as slow as its p95", () =>
  withPage("agents?window=7d", async (page) => {
    const { agents } = (await readSample("/agent-monitoring/agent-figures?window=7d")) as {
      agents: { name: string | null; totalRuns: number; failingRuns: number }[];
    };
    const [agent] = agents.filter(({ name, failingRuns }) => name !== null && failingRuns > 0);
    if (agent === undefined) throw new Error("The sample has no failing agent.");
    const row = page
      .getByRole("table", { name: "Agents", exact: true })
      .getByRole("row")
      .filter({ has: page.getByRole("link", { name: agent.name as string, exact: true }) });
    const link = (filter: RegExp | string): Locator => row.locator(`a[href*="/traces?"]${filter}`);
    await expect.poll(() => link("").count()).toBeGreaterThanOrEqual(5);
    await link('[href*="rating=failing"]').nth(1).click();
    await expectTotal(page, "Traces", agent.failingRuns);
    await link(':not([href*="rating"]):not([href*="slow"])[href*="source=production"]').click();
    await expectTotal(page, "Traces", agent.totalRuns);
    expect(await link('[href*="slow="]').count()).toBe(1);
  }));

test("the figures of the traces that name no model open exactly those", async () => {
  const { base, post } = await createOwnProject();
  for (const model of ["gpt-5.6-luna", undefined, undefined]) {
    await post("/ingest/traces", { name: "helper", model, input: "Hello", output: "Good day." });
  }
  const { page, problems, close } = await openPage();
  try {
    await page.goto(base);
    await page
      .getByRole("row", { name: /^no model named/ })
      .locator('a[href*="/traces?"]')
      .first()
      .click();
    await page.getByText("No model named", { exact: true }).waitFor();
    await expectTotal(page, "Traces", 2);
    expect(problems).toEqual([]);
  } finally {
    await close();
  }
});

test("the latest runs of the overview open their comparison with the run before", () =>
  withPage("", async (page) => {
    const rows = page.getByRole("table", { name: "Latest runs", exact: true }).getByRole("row");
    await expect.poll(() => rows.count()).toBe(6);
    await rows.locator('a[href*="/runs/compare?"]').first().click();
    await page.waitForURL(/\/runs\/compare\?baseline=.+&candidate=/);
    await page.getByRole("heading", { level: 1, name: "Compare runs", exact: true }).waitFor();
  }));

test("a metric of a run shows its value of each case in the list of cases", async () => {
  const { runs } = (await readSample("/custom-agent-evaluations/runs?limit=50")) as { runs: { _id: string }[] };
  type Details = { _id: string; metrics: { name: string; computed: number }[] };
  const details = (await Promise.all(
    runs.map(({ _id }) => readSample(`/custom-agent-evaluations/runs/${_id}?results=none`)),
  )) as Details[];
  const run = details.find(({ metrics }) => metrics.some(({ computed }) => computed > 0));
  const metric = run?.metrics.find(({ computed }) => computed > 0);
  if (run === undefined || metric === undefined) throw new Error("The sample has no run with a metric.");
  await withPage(`runs/${run._id}`, async (page) => {
    await page
      .getByRole("list", { name: "Scorers" })
      .getByRole("link", { name: new RegExp(`^${metric.name}`) })
      .click();
    await page.waitForURL(/metric=/);
    const table = page.getByRole("table", { name: "Cases", exact: true });
    await table.getByRole("columnheader", { name: metric.name, exact: true }).waitFor();
    await table
      .getByRole("cell", { name: /^[01]\.\d\d$/ })
      .first()
      .waitFor();
  });
});

test("the turns of a session open its traces, and the failed results of a run its failed cases", async () => {
  await withPage("sessions?window=7d", async (page) => {
    const turns = page
      .getByRole("table", { name: "Sessions", exact: true })
      .getByRole("row")
      .nth(1)
      .locator('a[href*="/traces?"]');
    const count = asNumber(await turns.textContent());
    await turns.click();
    await expectTotal(page, "Traces", count);
  });
  await withPage(`datasets/${sample.datasetId}?tab=runs`, async (page) => {
    const failed = page.getByRole("table", { name: "Runs", exact: true }).locator('a[href*="status=failed"]').first();
    const count = asNumber(await failed.textContent());
    await failed.click();
    await page.waitForURL(/status=failed/);
    await page.getByText(new RegExp(`^${count} cases?$`)).waitFor();
  });
});
