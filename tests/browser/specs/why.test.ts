import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { openPage, whyPanel, withPage } from "../src/open-page.ts";
import { createOwnProject, readSample, sample } from "../src/projects.ts";
import { inspect } from "../src/watch-page.ts";

const isRecord = (url: string) => url.includes("/api/v1/verdicts/");
const openVerdicts = (page: Page) => page.goto(`${sample.base}/traces/${sample.traceId}?tab=verdicts`);

test.each([
  ["light", 1440],
  ["dark", 390],
] as const)("a live rating links to the exact prompt and reply, %s at %i px", async (theme, width) => {
  const { page, problems, settle, close } = await openPage({ theme, width });
  await openVerdicts(page);
  const panel = page.locator("section", { has: page.getByRole("heading", { name: "Prompt and reply" }) });
  for (const [title, text] of [
    ["Instructions", /You grade the answers of AI agents/],
    ["Prompt", /\[\[begin input [0-9a-f]{32}\]\]/],
    ["Reply", /"rating":/],
  ] as const) {
    const folded = panel.locator("details", { has: page.locator("summary", { hasText: title }) });
    expect(await folded.getByText(text).isVisible()).toBe(false);
    await folded.locator("summary").click();
    await folded.getByText(text).waitFor();
  }
  await page.getByText(/^\d[\d,]* in, \d[\d,]* out$/).waitFor();
  await settle();
  expect(await inspect(page)).toEqual([]);
  expect(problems).toEqual([]);
  await close();
});

test("an expired record is reported as deleted; a record that cannot be read is requested again", async () => {
  const { page, problems, close } = await openPage({ mayFail: isRecord });
  let status = 503;
  await page.route(
    ({ href }) => isRecord(href),
    async (route) => {
      if (status === 200) return route.continue();
      return route.fulfill({
        status,
        json: { statusCode: status, message: "The judge service could not answer; retry." },
      });
    },
  );
  await openVerdicts(page);
  await page.getByRole("alert").getByText("The judge service could not answer; retry.").waitFor();
  status = 200;
  await page.getByRole("button", { name: "Try again" }).click();
  await page.locator("summary", { hasText: "Reply" }).waitFor();

  status = 404;
  await openVerdicts(page);
  await page.getByText("No longer kept. The rating and its justification stay.").waitFor();
  expect(await page.getByRole("button", { name: "Try again" }).count()).toBe(0);
  expect(problems).toEqual([]);
  await close();
});

test("a judge whose earlier version was deleted keeps the number of its current version, and the next one follows it", async () => {
  const { base, client, post } = await createOwnProject();
  const { judgeScorer } = (await post("/agent-monitoring/judge-scorers", {
    name: "Helpful",
    judge: { evaluationCriteria: "Does the answer help?" },
  })) as { judgeScorer: { _id: string } };
  const { _id: judgeId } = judgeScorer;
  const judge = { evaluationCriteria: "Is the question answered?" };
  await client.send("PUT", `/agent-monitoring/judge-scorers/${judgeId}`, { judge });
  await client.send("DELETE", `/evaluate/evaluationSettings/${judgeId}/versions/${judgeId}:1`);
  const { page, problems, close } = await openPage();
  try {
    await page.goto(`${base}/judges/${judgeId}`);
    await page.getByText("version 2", { exact: true }).waitFor();
    await page.goto(`${base}/judges/${judgeId}/edit`);
    await page.getByRole("heading", { name: "Changes from version 2", exact: true }).waitFor();
    await page.getByRole("textbox", { name: "Name", exact: true }).fill("More helpful");
    await page.getByRole("button", { name: "Publish version 3", exact: true }).waitFor();
    expect(problems).toEqual([]);
  } finally {
    await close();
  }
});

test("a rating in the list of sessions is explained by its button and by the key w", () =>
  withPage("sessions?rating=rated", async (page) => {
    const rows = page.getByRole("table", { name: "Sessions", exact: true }).getByRole("row");
    const rating = rows.getByRole("button", { name: /^Why: / }).first();
    await rating.click();
    await whyPanel(page).waitFor();
    expect(await whyPanel(page).getByText("Nothing rated this.").count()).toBe(0);
    await page.waitForURL(/why=/);
    await page.keyboard.press("Escape");
    await expect.poll(() => whyPanel(page).count()).toBe(0);
    await rating.focus();
    await page.keyboard.press("w");
    await whyPanel(page).waitFor();
  }));

test("the rating of a case on which a CI run failed is explained beside the list", async () => {
  const { ci_runs: ciRuns } = (await readSample("/ingest/ci-runs")) as { ci_runs: { run_id: string }[] };
  const details = await Promise.all(ciRuns.map(({ run_id: id }) => readSample(`/ingest/ci-runs/${id}`)));
  const failed = (details as { run_id: string; violations: { metric: string; actual: number | null }[] | null }[]).find(
    ({ violations }) => violations?.some(({ metric, actual }) => metric === "rating" && actual !== null),
  );
  if (failed === undefined) throw new Error("No CI run of the sample failed on a rating.");
  await withPage(`gates/ci/${failed.run_id}`, async (page) => {
    await page
      .getByRole("button", { name: /^Why: case \d+/ })
      .first()
      .click();
    await whyPanel(page)
      .getByText(/^threshold/)
      .waitFor();
    await page.waitForURL(/why=\d+/);
  });
});

test("the rating of a trace that a person evaluates is explained in the dialog", async () => {
  const { base, post } = await createOwnProject();
  await post("/agent-monitoring/judge-scorers", { name: "Helpful", judge: { evaluationCriteria: "Does it help?" } });
  const { traceId } = await post("/ingest/traces", { name: "shop", input: "Where is it?", output: "On its way." });
  const { page, problems, close } = await openPage();
  try {
    await page.goto(`${base}/traces/${traceId}`);
    await page.getByRole("button", { name: "Evaluate", exact: true }).first().click();
    const dialog = page.getByRole("dialog");
    await dialog.getByRole("button", { name: "Evaluate", exact: true }).click();
    await dialog.getByRole("button", { name: /^Why: / }).click();
    await dialog.getByRole("heading", { name: "Prompt and reply" }).waitFor();
    expect(problems).toEqual([]);
  } finally {
    await close();
  }
});
