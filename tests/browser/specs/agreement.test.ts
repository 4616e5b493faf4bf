import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { waitUntil } from "../../integration/src/wait-until.ts";
import { openPage } from "../src/open-page.ts";
import { createOwnProject, type OwnProject } from "../src/projects.ts";

/** People labelled these before. */
const labelledCount = 12;

/**
 * A judge that rated every trace: every third one, which failed, badly. People disagree with it once. `others` have no label,
 * and the desk shows at most twenty of them.
 */
async function makeLabelledJudge({ client, post }: OwnProject, others: number): Promise<string> {
  const traceCount = labelledCount + others;
  const { judgeScorer } = await post("/agent-monitoring/judge-scorers", {
    name: "Helpful",
    judge: { evaluationCriteria: "Does the answer help?" },
    online: { sampleRate: 1, alertThreshold: 5 },
  });
  const { _id: judgeId, online } = judgeScorer as { _id: string; online: { profileId: string } };
  const traces = Array.from({ length: traceCount }, (_, index) => ({
    name: "helper",
    input: `Question ${index}`,
    ...(index % 3 === 0 ? { error: "Timeout" } : { output: `Answer ${index}` }),
  }));
  for (const [index, trace] of traces.entries()) {
    const { traceId } = await post("/ingest/traces", trace);
    if (index >= labelledCount) continue;
    const rating = index % 3 === 0 || index === 1 ? "down" : "up";
    await post("/feedback", { traceId, rating });
  }
  await waitUntil("the judge has rated every trace", async () => {
    const { body } = await client.send("GET", `/monitor/online-evaluators/${online.profileId}/ratings?window=24h`);
    const { points } = body as { points: { count: number }[] };
    return points.reduce((sum, { count }) => sum + count, 0) === traceCount;
  });
  return judgeId;
}

/** Lets the page believe that its tab is hidden, or visible again. */
const show = (page: Page, state: "hidden" | "visible"): Promise<void> =>
  page.evaluate(`
    Object.defineProperty(document, "visibilityState", { value: "${state}", configurable: true });
    document.dispatchEvent(new Event("visibilitychange"));
  `);

/** Hides the tab, so that the label that waits is sent, and the server refuses it. */
async function failToStore(page: Page): Promise<void> {
  await page.route("**/api/v1/feedback", (route) => route.fulfill({ status: 503, json: { error: "Unavailable" } }));
  const failed = page.waitForResponse((response) => response.url().endsWith("/feedback") && response.status() === 503);
  await show(page, "hidden");
  await failed;
  await page.unroute("**/api/v1/feedback");
  await show(page, "visible");
}

const certainty = (page: Page) => page.getByText(/with 95% certainty, \d+ labels/);

/** The number of labels that the shown agreement is of. */
const labelsOf = async (page: Page): Promise<number> =>
  Number(/(\d+) labels/.exec((await certainty(page).textContent()) ?? "")?.[1]);

test("labels set by keyboard, also one that failed at first, change the agreement of the version that judged, and not of the next", async () => {
  const own = await createOwnProject();
  const { base, client } = own;
  const judgeId = await makeLabelledJudge(own, 20);
  const { page, problems, close } = await openPage({ mayFail: (url) => url.endsWith("/feedback") });
  try {
    await page.goto(`${base}/judges`);
    await page
      .getByRole("row", { name: /^Helpful/ })
      .getByRole("link", { name: /^Kappa/ })
      .click();
    await certainty(page).waitFor();
    expect(await labelsOf(page)).toBe(labelledCount);
    await page.keyboard.press("l");
    await page.getByText("1 of 20", { exact: true }).waitFor();
    // This test decides when the agreement is loaded again: until then the page must not show a value.
    let release: () => void = () => undefined;
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    await page.route("**/agent-monitoring/calibration", async (route) => {
      await held;
      await route.continue();
    });
    for (let label = 1; label <= 20; label += 1) {
      await page.getByText(`${label} of 20`, { exact: true }).waitFor();
      await page.keyboard.press(label <= 12 ? "p" : label <= 15 ? "f" : "s");
      if (label !== 1) continue;
      await page.getByText("2 of 20", { exact: true }).waitFor();
      await failToStore(page);
    }
    await page.getByText("12 passed, 3 failed, 5 skipped. All are stored.").waitFor();
    expect(await page.getByText(/^Kappa went from/).count()).toBe(0);
    release();
    await page.getByText(/^Kappa went from -?\d\.\d\d to -?\d\.\d\d/).waitFor();
    expect(await labelsOf(page)).toBe(labelledCount + 15);
    const judge = { evaluationCriteria: "Is the question answered?" };
    await client.send("PUT", `/agent-monitoring/judge-scorers/${judgeId}`, { judge });
    await page.goto(`${base}/judges/${judgeId}/agreement`);
    await page.getByText("Not known yet", { exact: true }).waitFor();
    const versions = page.getByRole("combobox", { name: "Version", exact: true });
    expect(await versions.locator("option").allTextContents()).toEqual([
      "Version 2, no labels",
      `Version 1, ${labelledCount + 15} labels`,
    ]);
    const drawn = page.waitForRequest((request) => new URL(request.url()).pathname.endsWith("/sample"));
    await page.keyboard.press("l");
    expect(new URL((await drawn).url()).searchParams.get("version")).toBe("2");
    await page.getByText("Nothing to label", { exact: true }).waitFor();
    await page.goto(`${base}/judges/${judgeId}/agreement?version=1`);
    await certainty(page).waitFor();
    expect(await versions.inputValue()).toBe("1");
    await versions.selectOption({ label: "Version 2, no labels" });
    await page.getByText("Not known yet", { exact: true }).waitFor();
    expect(problems).toEqual([]);
  } finally {
    await close();
  }
});

/** The questions of the traces with a label, oldest first. */
async function labelledQuestions({ client }: OwnProject): Promise<string[]> {
  const { body } = await client.send("GET", "/ingest/traces?limit=50");
  const traces = (body as { traces: { _id: string; input: string }[] }).traces.toReversed();
  const read = traces.map(async ({ _id, input }) => {
    const { body: votes } = await client.send("GET", `/feedback/trace/${_id}`);
    return (votes as { feedback: unknown[] }).feedback.length > 0 ? [input] : [];
  });
  return (await Promise.all(read)).flat();
}

test("labels are stored on the traces that were shown, also when the server did not answer for a while", async () => {
  const own = await createOwnProject();
  const judgeId = await makeLabelledJudge(own, 8);
  const { page, problems, settle, close } = await openPage({ mayFail: (_, status) => status === null });
  const api = "**/api/v1/**";
  let draws = 0;
  page.on("request", (request) => {
    if (new URL(request.url()).pathname.endsWith("/sample")) draws += 1;
  });
  const question = page.getByRole("main").getByText(/^Question \d+$/);
  const shown: (string | null)[] = [];
  try {
    await page.goto(`${own.base}/judges/${judgeId}/agreement?label=true`);
    for (let label = 1; label <= 3; label += 1) {
      await page.getByText(`${label} of 8`, { exact: true }).waitFor();
      await settle();
      shown.push(await question.textContent());
      if (label === 2) await page.route(api, (route) => route.abort("connectionrefused"));
      await page.keyboard.press("p");
    }
    await page.getByText("The server has not answered since").waitFor();
    // The page asks again by itself.
    const readAgain = page.waitForResponse((response) => response.url().endsWith("/agent-monitoring/calibration"));
    await page.unroute(api);
    await readAgain;
    await page.getByText("The server has not answered since").waitFor({ state: "hidden" });
    expect(draws).toBe(1);
    await page.getByText("4 of 8", { exact: true }).waitFor();
    await question.waitFor();
    shown.push(await question.textContent());
    await page.keyboard.press("p");
    await page.getByRole("button", { name: "Try again", exact: true }).click();
    await page.keyboard.press("Escape");
    await expect.poll(() => labelsOf(page)).toBe(labelledCount + 4);
    const labelled = await labelledQuestions(own);
    expect(labelled.slice(labelledCount).toSorted()).toEqual(shown.toSorted());
    expect(problems).toEqual([]);
  } finally {
    await close();
  }
});

test("labelling that is stopped early leaves an agreement that contains every label", async () => {
  const own = await createOwnProject();
  const judgeId = await makeLabelledJudge(own, 4);
  const { page, problems, close } = await openPage();
  try {
    await page.goto(`${own.base}/judges/${judgeId}/agreement?label=true`);
    for (let label = 1; label <= 2; label += 1) {
      await page.getByText(`${label} of 4`, { exact: true }).waitFor();
      await page.keyboard.press("p");
    }
    await page.getByText("3 of 4", { exact: true }).waitFor();
    await page.keyboard.press("Escape");
    await expect.poll(() => labelsOf(page), { timeout: 20_000 }).toBe(labelledCount + 2);
    expect(problems).toEqual([]);
  } finally {
    await close();
  }
});
