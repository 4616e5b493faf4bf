import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { openPage } from "../src/open-page.ts";
import { sample } from "../src/projects.ts";
import type { OpenedPage } from "../src/watch-page.ts";

async function withPage(look: (page: Page, opened: OpenedPage) => Promise<void>): Promise<void> {
  const opened = await openPage();
  try {
    await opened.page.goto(`${sample.base}/`);
    await look(opened.page, opened);
    expect(opened.problems).toEqual([]);
  } finally {
    await opened.close();
  }
}

/** Navigates by the keys that the cheat sheet lists. */
async function goTo(page: Page, heading: string, letter: string): Promise<void> {
  await page.getByRole("heading", { level: 1 }).waitFor();
  await page.keyboard.press("g");
  await page.keyboard.press(letter);
  await page.getByRole("heading", { level: 1, name: heading }).waitFor();
}

const firstRow = (page: Page, table: string) => page.getByRole("table", { name: table }).getByRole("row").nth(1);

// The questions of a first-time user of the sample project, answered by links and keys alone.
describe("a first-time user finds", () => {
  test("which agent fails most, and why: the failing traces, one of them, its worst verdict", () =>
    withPage(async (page) => {
      // The agents with the most failures come first; the number of failing runs opens them.
      const failing = page.locator("main tr a[href*='rating=failing']").filter({ hasText: /^\d+$/ }).first();
      await failing.waitFor();
      expect(await failing.locator("xpath=ancestor::tr").textContent()).toContain("refund-agent");
      await failing.click();
      await page.getByRole("heading", { level: 1, name: "Traces" }).waitFor();
      // The judges did not read every trace; the newest ones may have failed without a verdict.
      const whyFailed = { name: /^Why: .*fails/ };
      const rows = page.getByRole("table", { name: "Traces" }).getByRole("row");
      await rows.getByRole("button", whyFailed).first().waitFor();
      const rated = await rows.evaluateAll((all) => all.map((row) => /\bfails\b/.test(row.innerHTML)).indexOf(true));
      for (let presses = 0; presses < rated; presses += 1) await page.keyboard.press("j");
      await page.keyboard.press("Enter");
      await page.getByRole("tree", { name: "Spans" }).waitFor();
      await page.getByRole("button", whyFailed).first().click();
      await page.getByText("threshold 5").first().waitFor();
      const reason = page.locator("blockquote").first();
      await reason.waitFor();
      expect((await reason.textContent())?.length).toBeGreaterThan(20);
    }));

  test("whether a run is worse than another, and on which cases", () =>
    withPage(async (page) => {
      await goTo(page, "Runs", "r");
      for (const name of [/refund-agent 1\.3\.9/, /refund-agent 1\.4\.0/]) {
        await page.getByRole("row", { name }).getByRole("checkbox").check();
      }
      await page
        .getByRole("link", { name: "Compare" })
        .or(page.getByRole("button", { name: "Compare" }))
        .first()
        .click();
      await page.getByText("Regressed").waitFor();
      await page
        .getByText(/The 95% interval, -\d/)
        .first()
        .waitFor();
      await page.getByRole("button", { name: /Worse \d+/ }).click();
      expect(await page.getByRole("table", { name: "Cases" }).getByRole("row").count()).toBeGreaterThan(5);
    }));

  test("how reliable the judge Helpful is", () =>
    withPage(async (page) => {
      await goTo(page, "Judges", "j");
      await page
        .getByRole("row", { name: /^Helpful/ })
        .getByRole("link", { name: /^Kappa/ })
        .click();
      await page.getByRole("heading", { level: 1, name: /Helpful/ }).waitFor();
      await page
        .getByText(/0\.\d\d to 0\.\d\d/)
        .first()
        .waitFor();
      await page.getByText("What this number cannot say").waitFor();
    }));

  test("the result of last night's gate on the branch main", () =>
    withPage(async (page) => {
      await goTo(page, "Gates", "c");
      const newest = page.getByRole("region", { name: "Newest on main" });
      await newest.getByRole("link", { name: /^Refund policy failed/ }).click();
      await page.getByRole("heading", { level: 1 }).waitFor();
      await page.getByText("d94c3b6").first().waitFor();
    }));
});

test("the address contains the filters: the link shows the same list in a new browser", () =>
  withPage(async (page, { settle }) => {
    await goTo(page, "Traces", "t");
    await page.getByRole("searchbox").fill("refund");
    await page.waitForURL(/search=refund/);
    await settle();
    const wanted = await firstRow(page, "Traces").textContent();
    const other = await openPage();
    try {
      await other.page.goto(page.url());
      await other.settle();
      expect(await firstRow(other.page, "Traces").textContent()).toBe(wanted);
      expect(await other.page.getByRole("searchbox").inputValue()).toBe("refund");
    } finally {
      await other.close();
    }
  }));
