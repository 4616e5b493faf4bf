import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { waitUntil } from "../../integration/src/wait-until.ts";
import { openPage } from "../src/open-page.ts";
import { createOwnProject } from "../src/projects.ts";

const { base, client, post } = await createOwnProject();

/** People labelled these before; the desk shows twenty of the others. */
const labelledCount = 12;
const traceCount = labelledCount + 20;

/** A judge that rated every trace: every third one, which failed, badly. People disagree with it once. */
async function makeLabelledJudge(): Promise<string> {
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

test("labels set by keyboard, also one that failed at first, change the agreement of the version that judged, and not of the next", async () => {
  const judgeId = await makeLabelledJudge();
  const { page, problems, close } = await openPage({ mayFail: (url) => url.endsWith("/feedback") });
  try {
    await page.goto(`${base}/judges`);
    await page
      .getByRole("row", { name: /^Helpful/ })
      .getByRole("link", { name: /^Kappa/ })
      .click();
    const labels = async (): Promise<number> =>
      Number(/(\d+) labels/.exec((await page.getByText(/with 95% certainty, \d+ labels/).textContent()) ?? "")?.[1]);
    await page.getByText(/with 95% certainty, \d+ labels/).waitFor();
    expect(await labels()).toBe(labelledCount);
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
    expect(await labels()).toBe(labelledCount + 15);
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
    await page.getByText(/with 95% certainty, \d+ labels/).waitFor();
    expect(await versions.inputValue()).toBe("1");
    await versions.selectOption({ label: "Version 2, no labels" });
    await page.getByText("Not known yet", { exact: true }).waitFor();
    expect(problems).toEqual([]);
  } finally {
    await close();
  }
});
