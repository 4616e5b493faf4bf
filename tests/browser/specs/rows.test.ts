import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { openPage, withPage } from "../src/open-page.ts";
import { readSample, sample } from "../src/projects.ts";

/** Reads the bottoms of the texts in a row, apart from smaller and hidden ones. */
const bottomsOf = `(row) => {
  const texts = document.createTreeWalker(row, NodeFilter.SHOW_TEXT);
  const bottoms = [];
  for (let text = texts.nextNode(); text !== null; text = texts.nextNode()) {
    if (text.textContent.trim() === "" || text.parentElement.closest(".sr-only, .text-xs") !== null) continue;
    const range = document.createRange();
    range.selectNodeContents(text);
    bottoms.push(range.getBoundingClientRect().bottom);
  }
  return bottoms;
}`;

/** Those of a table's first row. */
const readBottoms = (page: Page, table: string): Promise<number[]> =>
  page.evaluate<number[]>(`(${bottomsOf})(document.querySelector('[aria-label="${table}"] [aria-rowindex="2"]'))`);

test.each([
  ["agents?window=7d", "Agents"],
  ["votes", "Votes"],
])("the texts of a row of %s are at one height", (path, table) =>
  withPage(path, async (page) => {
    await page.getByRole("table", { name: table, exact: true }).getByRole("row").nth(1).waitFor();
    // The figures arrive after the agents.
    await expect.poll(async () => (await readBottoms(page, table)).length).toBeGreaterThanOrEqual(5);
    const bottoms = await readBottoms(page, table);
    expect(Math.max(...bottoms) - Math.min(...bottoms)).toBeLessThan(0.3);
  }),
);

test("a vote shows the name of its trace, in a narrow window with its comment, if it has one", async () => {
  const { feedback } = (await readSample("/feedback?limit=1")) as {
    feedback: { traceName: string; traceId: string }[];
  };
  const [vote] = feedback;
  if (vote === undefined) throw new Error("The sample has no vote.");
  await withPage("votes", async (page) => {
    const row = page.getByRole("table", { name: "Votes", exact: true }).getByRole("row").nth(1);
    await row.getByRole("link", { name: vote.traceName, exact: true }).waitFor();
    await row.getByText(vote.traceId, { exact: true }).waitFor();
  });
  const { page, problems, close } = await openPage({ width: 390 });
  try {
    await page.goto(`${sample.base}/votes`);
    const cell = page.getByRole("table", { name: "Votes", exact: true }).getByRole("cell");
    await cell.first().getByRole("link", { name: vote.traceName, exact: true }).waitFor();
    expect(await cell.getByText("-", { exact: true }).count()).toBe(0);
    expect(problems).toEqual([]);
  } finally {
    await close();
  }
});

test("in a narrow window the figures of an agent open its traces, too", async () => {
  const { agents } = (await readSample("/agent-monitoring/agent-figures?window=7d")) as {
    agents: { name: string | null; totalRuns: number }[];
  };
  const [agent] = agents.filter(({ name }) => name !== null);
  if (agent === undefined) throw new Error("The sample has no agent.");
  const { page, problems, close } = await openPage({ width: 390 });
  try {
    await page.goto(`${sample.base}/agents?window=7d`);
    const card = page
      .getByRole("table", { name: "Agents", exact: true })
      .getByRole("cell")
      .filter({
        has: page.getByRole("link", { name: agent.name as string, exact: true }),
      });
    await card.getByRole("link", { name: `${agent.totalRuns} runs`, exact: true }).click();
    await page.getByRole("heading", { level: 1, name: "Traces", exact: true }).waitFor();
    await expect.poll(() => page.locator("h1 + div").textContent()).toBe(String(agent.totalRuns));
    expect(problems).toEqual([]);
  } finally {
    await close();
  }
});
