import type { Page } from "playwright-core";
import { beforeAll, expect, test } from "vitest";
import { openPage, whyPanel } from "../src/open-page.ts";
import { createOwnProject, sample } from "../src/projects.ts";

/** More results than fit on one page. */
const caseCount = 130;

const { base, client, post } = await createOwnProject();
/** A run and a later one; both have a linked trace for case 0. */
let runIds: readonly [string, string];

beforeAll(async () => {
  runIds = await makeRuns();
});

const evaluations = "/custom-agent-evaluations";

async function makeRuns(): Promise<[string, string]> {
  const { trace_id: traceId } = await post("/ingest/traces", { name: "greeting-agent", input: "Hello", output: "Hi." });
  const { _id: datasetId } = await post(`${evaluations}/datasets`, {
    name: "Long",
    questions: Array.from({ length: caseCount }, (_, index) => ({ main_question: { query: `Question ${index}?` } })),
  });
  async function makeRun(version: string): Promise<string> {
    const { runId } = await post(`${evaluations}/runs`, {
      datasetId,
      evaluationSubject: { displayName: "long-agent", version },
    });
    const results = Array.from({ length: caseCount }, (_, index) => ({
      idempotencyKey: `case-${index}`,
      questionIndex: index,
      output: { text: `This is answer ${version} to question ${index}.` },
      ...(index === 0 && { traceId }),
    }));
    for (let from = 0; from < caseCount; from += 10) {
      await post(`${evaluations}/runs/${runId}/results`, {
        batchId: `${from}`,
        results: results.slice(from, from + 10),
      });
    }
    await post(`${evaluations}/runs/${runId}/finalize`, {});
    return runId as string;
  }
  return [await makeRun("1.0"), await makeRun("2.0")];
}

/** Its client scored two results, and no judge was asked. */
async function makeClientsRun(): Promise<string> {
  const questions = [{ main_question: { query: "Question 1?" } }, { main_question: { query: "Question 2?" } }];
  const { _id: datasetId } = await post(`${evaluations}/datasets`, { name: "Client's", questions });
  const evaluationSubject = { displayName: "client's agent" };
  const { runId } = await post(`${evaluations}/runs`, { datasetId, runSource: "external", evaluationSubject });
  const results = questions.map((_, questionIndex) => ({
    idempotencyKey: `case-${questionIndex}`,
    questionIndex,
    output: { text: "An answer." },
  }));
  await post(`${evaluations}/runs/${runId}/results`, { batchId: "all", results });
  await post(`${evaluations}/runs/${runId}/finalize`, {});
  return runId as string;
}

async function withPage(address: string, look: (page: Page) => Promise<void>): Promise<void> {
  const { page, problems, close } = await openPage();
  try {
    await page.goto(address);
    await look(page);
    expect(problems).toEqual([]);
  } finally {
    await close();
  }
}

const firstCase = (page: Page) => page.getByRole("table", { name: "Cases" }).getByRole("row").nth(1);

test("w explains the rating of the selected case of a run; the rating itself opens the same explanation", () =>
  withPage(`${sample.base}/runs/${sample.runIds[1]}?sort=case`, async (page) => {
    await firstCase(page).waitFor();
    await page.keyboard.press("j");
    await page.getByRole("complementary", { name: /^Case \d+$/ }).waitFor();
    await page.keyboard.press("w");
    const reason = whyPanel(page).locator("blockquote");
    await reason.waitFor();
    // The last column of the table contains the text that the panel quotes.
    expect((await reason.textContent())?.length).toBeGreaterThan(20);
    await page.waitForURL(/why=primary/);

    await page.keyboard.press("Escape");
    const tone = page.getByRole("complementary", { name: /^Case/ }).getByRole("button", { name: /^Why: Tone/ });
    await tone.click();
    await whyPanel(page).getByRole("button", { name: /^Tone/, pressed: true }).waitFor();
    await page.keyboard.press("w");
    await tone.waitFor();
  }));

test("a bar of the histogram lists the cases with its results", () =>
  withPage(`${sample.base}/runs/${sample.runIds[1]}`, async (page) => {
    const bar = page.getByRole("button", { name: /^Rated 0 to 1: \d+ results$/ });
    const count = /: (\d+)/.exec((await bar.getAttribute("aria-label")) ?? "")?.[1];
    await bar.click();
    await page.waitForURL(/max=1/);
    // A paraphrase is listed with its case but counted nowhere. The old rows stay until the next ones are loaded.
    const listed = page.getByRole("status").filter({ hasText: /, \d+ results$/, hasNotText: "14 cases" });
    await listed.waitFor();
    expect(Number(/, (\d+) results/.exec((await listed.textContent()) ?? "")?.[1])).toBeGreaterThanOrEqual(
      Number(count),
    );
    for (const row of await page.getByRole("table", { name: "Cases" }).getByRole("button", { name: /^Why/ }).all()) {
      expect(await row.getAttribute("aria-label")).toMatch(/, (0|1|0\.\d)(\.0)? of 10$/);
    }
    await bar.click();
    await page.getByRole("status").filter({ hasText: "14 cases" }).waitFor();
  }));

test("the cases of a long run are loaded as they scroll into view, in the server's order", () =>
  withPage(`${base}/runs/${runIds[1]}?sort=case`, async (page) => {
    await page.getByText(`${caseCount} cases`, { exact: true }).first().waitFor();
    const table = page.getByRole("table", { name: "Cases" });
    const rowCount = () => table.getAttribute("aria-rowcount");
    await firstCase(page).waitFor();
    expect(await rowCount()).toBe("101");
    await table.evaluate((element) => element.scrollTo({ top: element.scrollHeight }));
    await page.locator(`[aria-label=Cases][aria-rowcount="${caseCount + 1}"]`).waitFor();
    await table.evaluate((element) => element.scrollTo({ top: element.scrollHeight }));
    await table.getByText(`Question ${caseCount - 1}?`).waitFor();
  }));

test("a case that is not on the first page opens by its link", () =>
  withPage(`${base}/runs/${runIds[1]}?sort=case&case=125`, async (page) => {
    const panel = page.getByRole("complementary", { name: "Case 125" });
    await panel.getByText("This is answer 2.0 to question 125.").waitFor();
  }));

test("two runs are compared by keyboard: d shows the changes, t and T open the traces, w explains the rating", () =>
  withPage(`${base}/runs/compare?baseline=${runIds[0]}&candidate=${runIds[1]}&sort=case`, async (page) => {
    await firstCase(page).waitFor();
    await page.keyboard.press("j");
    const panel = page.getByRole("complementary", { name: "Details" });
    await panel.getByText("This is answer 2.0 to question 0.").waitFor();
    await page.keyboard.press("d");
    await panel.locator("ins").filter({ hasText: "2" }).waitFor();
    await panel.locator("del").filter({ hasText: "1" }).waitFor();
    // The choice is kept for the next case.
    await page.keyboard.press("]");
    await page.waitForURL(/case=1\b/);
    await panel.locator("ins").first().waitFor();
    await page.keyboard.press("[");
    await page.waitForURL(/case=0/);
    await page.keyboard.press("d");
    await panel.getByText("This is answer 1.0 to question 0.").waitFor();

    await page.keyboard.press("w");
    await whyPanel(page).locator("blockquote").waitFor();
    await page.keyboard.press("w");
    await panel.waitFor();
    for (const key of ["t", "T"]) {
      await page.keyboard.press(key);
      await page.getByRole("heading", { level: 1, name: "greeting-agent" }).waitFor();
      await page.goBack();
      await panel.getByText("This is answer 2.0 to question 0.").waitFor();
    }
  }));

test("choosing a run for a side while it is on the other side exchanges the two", () =>
  withPage(`${base}/runs/compare?baseline=${runIds[0]}&candidate=${runIds[1]}`, async (page) => {
    const sides = () => {
      const { searchParams } = new URL(page.url());
      return [searchParams.get("baseline"), searchParams.get("candidate")];
    };
    await firstCase(page).waitFor();
    await page.getByRole("combobox", { name: "Baseline", exact: true }).selectOption(runIds[1]);
    await expect.poll(sides).toEqual([runIds[1], runIds[0]]);
    await firstCase(page).waitFor();
    await page.getByRole("combobox", { name: "Candidate", exact: true }).selectOption(runIds[1]);
    await expect.poll(sides).toEqual([runIds[0], runIds[1]]);
    await firstCase(page).waitFor();
  }));

test("the server filters the list of runs, and the address contains the filters", () =>
  withPage(`${sample.base}/runs`, async (page) => {
    const rows = page.getByRole("table", { name: "Runs" });
    await rows.getByRole("row", { name: /refund-agent 1\.3\.9/ }).waitFor();
    await page.getByRole("searchbox").fill("sql-analyst");
    await page.waitForURL(/search=sql-analyst/);
    await page
      .getByRole("row", { name: /sql-analyst/ })
      .first()
      .waitFor();
    await rows
      .getByRole("row", { name: /refund-agent/ })
      .first()
      .waitFor({ state: "detached" });
    await page.getByRole("button", { name: "Status" }).click();
    await page
      .getByRole("menuitem", { name: "Failed" })
      .or(page.getByText("Failed", { exact: true }))
      .first()
      .click();
    await page.waitForURL(/status=failed/);
    await page.getByText("No run matches").waitFor();
  }));

test("a run that its client scored is judged by the judge that is chosen", async () => {
  const judge = { evaluationCriteria: "Does the answer help?" };
  const { judgeScorer } = await post("/agent-monitoring/judge-scorers", { name: "Helpful", judge });
  const runId = await makeClientsRun();
  await withPage(`${base}/runs/${runId}`, async (page) => {
    await page.getByRole("button", { name: "Judge 2 results" }).click();
    const dialog = page.getByRole("dialog", { name: "Judge 2 results" });
    await dialog.getByLabel("Graded by").selectOption({ label: "Helpful" });
    await dialog.getByRole("button", { name: "Judge", exact: true }).click();
    await page.getByText("2 results judged, 0 still without a rating.").waitFor();
    await dialog.waitFor({ state: "hidden" });
  });
  const { body } = await client.send("GET", `/custom-agent-evaluations/runs/${runId}`);
  expect(body).toMatchObject({
    evaluationSettingsId: (judgeScorer as { _id: string })._id,
    liveStatistics: { ratedCount: 2 },
  });
});
