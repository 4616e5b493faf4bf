import type { Locator, Page } from "playwright-core";
import { expect, test } from "vitest";
import { openPage, withPage } from "../src/open-page.ts";
import { createOwnProject, sample } from "../src/projects.ts";

/** Drags from one fraction of an element's width to another. */
async function drag(page: Page, element: Locator, from: number, to: number): Promise<void> {
  const box = await element.boundingBox();
  if (box === null) throw new Error("There is nothing to drag on.");
  const y = box.y + 10;
  await page.mouse.move(box.x + box.width * from, y);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width * to, y);
  await page.mouse.up();
}

test("the links of the overview begin where the server began to count, whatever the browser's clock shows", () =>
  withPage("?window=24h", async (page) => {
    const hourMs = 3_600_000;
    await page.clock.setFixedTime(Date.now() - 5 * hourMs);
    await page.reload();
    for (const link of [
      page.getByRole("main").getByRole("link", { name: /^Runs/ }),
      page.getByRole("table", { name: "Models" }).getByRole("link").first(),
    ]) {
      const url = new URL((await link.getAttribute("href")) ?? "", sample.base);
      const from = Date.parse(String(url.searchParams.get("from")));
      expect(from).toBeGreaterThan(Date.now() - 24.5 * hourMs);
      expect(from).toBeLessThanOrEqual(Date.now() - 23 * hourMs);
    }
  }));

test("the server filters verdicts by branch and commit, and the address keeps both", () =>
  withPage("gates", async (page) => {
    const rows = page.getByRole("table", { name: "Verdicts" }).getByRole("row");
    await rows.nth(1).waitFor();
    const branches = page.getByRole("combobox", { name: "Branch" });
    const branch = (await branches.locator("option").nth(1).textContent()) ?? "";

    const asked = page.waitForRequest((request) => request.url().includes(`branch=${encodeURIComponent(branch)}`));
    await branches.selectOption(branch);
    await asked;
    await page.waitForURL(/branch=/);
    await expect
      .poll(
        async () =>
          new Set((await rows.locator("[role=cell]:nth-child(3)").allTextContents()).map((text) => text.trim())),
      )
      .toEqual(new Set([branch]));
    const commit = (await rows.nth(1).locator("code").textContent()) ?? "";

    await page.getByRole("searchbox", { name: "Commit" }).fill(commit);
    await page.waitForURL(/commit=/);
    await page.reload();
    await rows.nth(1).waitFor();
    expect(await rows.locator("code").allTextContents()).toContain(commit);
    expect(new Set(await rows.locator("code").allTextContents())).toEqual(new Set([commit]));

    await page.getByRole("searchbox", { name: "Commit" }).fill("no such commit");
    await page.getByText("No verdict matches").waitFor();
    await page.getByRole("button", { name: "Clear filters" }).click();
    await rows.nth(1).waitFor();
    expect(page.url()).not.toContain("branch=");
  }));

/** The number of traces in the chart, from its accessible name. */
const counted = async (chart: Locator): Promise<number> =>
  Number(/^([\d,]+) traces?/.exec((await chart.getAttribute("aria-label")) ?? "")?.[1]?.replaceAll(",", ""));

test("dragging over the chart of traces filters the list to that time, and going back resets it", () =>
  withPage("traces", async (page) => {
    const chart = page.getByRole("img", { name: /^[\d,]+ traces?/ });
    const total = async () => (await page.locator("h1 + div").textContent())?.replaceAll(",", "");
    await chart.waitFor();
    const all = await counted(chart);
    await expect.poll(total).toBe(String(all));

    await drag(page, chart, 0.6, 0.3);
    await page.waitForURL(/from=.+to=/);
    await expect.poll(() => counted(chart)).toBeLessThan(all);
    const some = await counted(chart);
    expect(some).toBeGreaterThan(0);
    await expect.poll(total).toBe(String(some));

    await page.goBack();
    await expect.poll(() => counted(chart)).toBe(all);

    await drag(page, chart, 0.7, 0.999);
    await page.waitForURL(/from=/);
    // A list without an end time still receives new traces.
    expect(page.url()).not.toContain("to=");
    await page.getByRole("button", { name: "Live" }).waitFor();
  }));

test("Enter presses the focused button or link; after a move through the rows it opens the active one", () =>
  withPage("agents", async (page) => {
    const row = page.getByRole("table", { name: "Agents", exact: true }).getByRole("row").nth(1);
    const week = page.getByRole("button", { name: "7 days", exact: true });
    const isOnList = (): boolean => new URL(page.url()).pathname.endsWith("/agents");
    await row.waitFor();
    await week.focus();
    await page.keyboard.press("Enter");
    await page.waitForURL(/window=7d/);
    await expect.poll(() => week.getAttribute("aria-pressed")).toBe("true");
    expect(isOnList()).toBe(true);

    await page.getByRole("link", { name: "Sessions", exact: true }).focus();
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { level: 1, name: "Sessions", exact: true }).waitFor();
    await page.goBack();
    await page.getByRole("heading", { level: 1, name: "Agents", exact: true }).waitFor();
    expect(isOnList()).toBe(true);

    await row.waitFor();
    await week.focus();
    await page.keyboard.press("k");
    await page.keyboard.press("Enter");
    await page.waitForURL(/\/agents\/[0-9a-f-]{36}/);
  }));

test("the figures of runs on the overview open the traces of production, which they count", () =>
  withPage("", async (page) => {
    for (const label of ["Runs", "Healthy", "Failing", "p95 latency"]) {
      const figure = page.getByRole("main").getByRole("link", { name: new RegExp(`^${label}\\s*[\\d.,]`) });
      expect(await figure.getAttribute("href")).toContain("source=production");
    }
  }));

test("the runs of a dataset begin with the versions of its agent, each compared with the one before", () =>
  withPage(`datasets/${sample.datasetId}?tab=runs`, async (page) => {
    const versions = page.getByRole("table", { name: "Versions of the agent" });
    const rowOf = (version: string) => versions.getByRole("row").filter({ hasText: version });
    const [candidate, baseline] = await Promise.all(
      ["1.4.0", "1.3.9"].map((version) => rowOf(version).getByRole("link", { name: version }).getAttribute("href")),
    );
    await rowOf("1.4.0").getByTitle("Compare the last runs of the two versions").click();
    await page.getByRole("heading", { name: "Compare runs" }).waitFor();
    const shown = new URL(page.url()).searchParams;
    expect([String(baseline), String(candidate)]).toEqual([
      expect.stringContaining(`/runs/${shown.get("baseline")}`),
      expect.stringContaining(`/runs/${shown.get("candidate")}`),
    ]);
  }));

test.each([
  ["agreement", `judges/${sample.judgeId}/agreement?cell=none`],
  ["Runs", "runs?status=none"],
  ["Traces", "traces?rating=none&slow=none"],
  ["Inbox", "inbox?status=none&severity=none"],
  ["Agents", "agents?tab=none"],
])("a link to %s with an unknown value shows the page without it", (heading, address) =>
  withPage(address, async (page, { settle }) => {
    await page.getByRole("heading", { level: 1, name: heading }).waitFor();
    await settle();
    expect(await page.getByText("This page failed").count()).toBe(0);
    expect(await page.getByRole("button", { name: ": none" }).count()).toBe(0);
  }),
);

test("the number of cases that passed in a CI run opens these cases", () =>
  withPage(`gates/ci/${sample.ciRunId}`, async (page) => {
    const count = page.locator('a[href*="show=passed"]').first();
    const passed = Number(await count.textContent());
    expect(passed).toBeGreaterThan(0);
    await count.click();
    await page.getByRole("heading", { name: `${passed} passing case` }).waitFor();
    expect(await page.locator("main li").count()).toBe(passed);
  }));

test("the number of runs of an agent's version opens these runs", () =>
  withPage(`datasets/${sample.datasetId}?tab=runs`, async (page) => {
    const versions = page.getByRole("table", { name: "Versions of the agent" });
    const count = versions.locator('a[href*="version=1.4.0"]');
    const counted = Number(await count.textContent());
    expect(counted).toBeGreaterThan(0);
    await count.click();
    await page.waitForURL(/\/runs\?/);
    await page.getByRole("button", { name: "Version: 1.4.0", exact: true }).waitFor();
    const rows = page.getByRole("table", { name: "Runs", exact: true }).getByRole("row");
    // The first row is the header.
    await expect.poll(() => rows.count()).toBe(counted + 1);
  }));

test.each([
  ["datasets", "datasets"],
  ["the cases of a dataset", `datasets/${sample.datasetId}`],
  ["sessions", "sessions"],
  ["gates by commit", "gates"],
])("the search of %s keeps every letter of quick typing, and the caret in the middle of a word", (_, address) =>
  withPage(address, async (page) => {
    const search = page.getByRole("searchbox");
    await search.pressSequentially("refunds of cards", { delay: 0 });
    for (let step = 0; step < "cards".length; step += 1) await page.keyboard.press("ArrowLeft");
    await search.pressSequentially("gift ", { delay: 0 });
    await page.waitForURL(/gift/);
    expect(await search.inputValue()).toBe("refunds of gift cards");
  }),
);

test("the page of a CI run that ends while it is open lists the cases with their results", async () => {
  const { base, client, post } = await createOwnProject();
  const { _id: datasetId } = await post("/custom-agent-evaluations/datasets", {
    name: "Pipeline",
    questions: [{ main_question: { query: "Can I return a gift card?" } }],
  });
  const { run_id: ciRunId } = await post("/ingest/ci-runs", { dataset_id: datasetId });
  const { page, problems, settle, close } = await openPage();
  try {
    await page.goto(`${base}/gates/ci/${ciRunId}`);
    await page.getByText("The failing cases are listed when the CI run is finalized.").waitFor();
    await settle();
    const error = { message: "The agent ran out of memory." };
    await post(`/ingest/ci-runs/${ciRunId}/results`, { question_index: 0, output: null, error });
    expect((await client.send("POST", `/ingest/ci-runs/${ciRunId}/finalize`)).status).toBe(200);
    await page.getByRole("heading", { name: "1 failing case", exact: true }).waitFor();
    await page.getByText("The agent ran out of memory.").waitFor();
    expect(problems).toEqual([]);
  } finally {
    await close();
  }
});
