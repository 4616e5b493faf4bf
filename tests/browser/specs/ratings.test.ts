import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { waitUntil } from "../../integration/src/wait-until.ts";
import { openPage, whyPanel, withPage } from "../src/open-page.ts";
import { createOwnProject, readSample } from "../src/projects.ts";

type Points = { points: { ts: string; count: number }[] };
type Judges = { judgeScorers: { _id: string; name: string; online: { profileId: string } | null }[] };

/** The live judge of the sample project with the most ratings of the window. */
async function findBusiest() {
  const { judgeScorers } = (await readSample("/agent-monitoring/judge-scorers")) as Judges;
  const rated = await Promise.all(
    judgeScorers.map(async ({ _id, name, online }) => {
      if (online === null) return { _id, name, evaluatorId: null, points: [], count: 0 };
      const route = `/monitor/online-evaluators/${online.profileId}/ratings?window=7d`;
      const { points } = (await readSample(route)) as Points;
      return {
        _id,
        name,
        evaluatorId: online.profileId,
        points,
        count: points.reduce((sum, point) => sum + point.count, 0),
      };
    }),
  );
  const [busiest] = rated.toSorted((left, right) => right.count - left.count);
  if (busiest === undefined) throw new Error("The sample has no live judge.");
  return busiest;
}

const ratingsOf = (page: Page) => page.getByRole("table", { name: "Ratings", exact: true });

/** Expects the list to count this many ratings, and to show the last one when it was scrolled to its end. */
async function expectRatings(page: Page, count: number): Promise<void> {
  await page.getByText(new RegExp(`^${count.toLocaleString("en-US")} ratings?( |$)`)).waitFor();
  await expect
    .poll(async () => {
      await ratingsOf(page).getByRole("row").last().scrollIntoViewIfNeeded();
      return ratingsOf(page).getByRole("row").last().getAttribute("aria-rowindex");
    })
    .toBe(String(count + 1));
}

test("the mean of a judge opens all the ratings it is made of", async () => {
  const { name, count } = await findBusiest();
  expect(count).toBeGreaterThan(20);
  await withPage("judges", async (page) => {
    const row = page
      .getByRole("table", { name: "Judges", exact: true })
      .getByRole("row")
      .filter({ has: page.getByRole("link", { name, exact: true }) });
    await row.locator('a[href*="window=7d"]').click();
    await page.waitForURL(/window=7d/);
    await expectRatings(page, count);
  });
});

test("a point of a judge's charts opens the ratings of its time, by Enter and by a click", async () => {
  const { _id, points } = await findBusiest();
  const greatest = Math.max(...points.map(({ count }) => count));
  const most = points.findIndex(({ count }) => count === greatest);
  await withPage(`judges/${_id}?window=7d`, async (page) => {
    const chart = page.getByRole("group", { name: /^Mean rating over time.*Enter opens their ratings/ });
    await chart.focus();
    for (let index = 0; index <= most; index += 1) await page.keyboard.press("ArrowRight");
    await page.keyboard.press("Enter");
    await page.waitForURL(/from=/);
    await expectRatings(page, greatest);
    await page.getByRole("button", { name: "All of the window", exact: true }).click();
    await expectRatings(
      page,
      points.reduce((sum, { count }) => sum + count, 0),
    );

    // A click takes the focus from the other chart, with which it shares a cursor.
    await chart.focus();
    await page.keyboard.press("ArrowRight");
    const bars = page.getByRole("group", { name: /^Ratings over time/ });
    await bars.scrollIntoViewIfNeeded();
    const plot = await bars.locator("svg").boundingBox();
    if (plot === null) throw new Error("The chart is not drawn.");
    const [left, right] = [44, 8];
    const x = plot.x + left + ((plot.width - left - right) / points.length) * (most + 0.5);
    await page.mouse.move(x, plot.y + 20);
    await page.mouse.click(x, plot.y + 20);
    await page.waitForURL(/from=/);
    await expectRatings(page, greatest);
  });
});

test("a link to a rating opens its explanation, also if the list begins with other ratings", async () => {
  const { _id: judgeId, evaluatorId } = await findBusiest();
  const route = `/monitor/online-evaluators/${evaluatorId}/events?window=7d&limit=50`;
  const { events } = (await readSample(route)) as { events: { traceId: string; justification: string }[] };
  expect(events.length).toBeGreaterThan(20);
  const { traceId = "", justification = "" } = events.at(-1) ?? {};
  await withPage(`judges/${judgeId}?why=${traceId}`, async (page) => {
    const panel = whyPanel(page);
    await panel.getByRole("link", { name: traceId, exact: true }).waitFor();
    await panel.getByText(justification, { exact: true }).waitFor();
  });
});

test("a rating of a session names the session and opens it", async () => {
  const { base, client, post } = await createOwnProject();
  const { judgeScorer } = await post("/agent-monitoring/judge-scorers", {
    name: "Patient",
    judge: { evaluationCriteria: "Does it stay polite in every turn?" },
    online: { sampleRate: 1, alertThreshold: 5, scope: "session", idleSeconds: 1 },
  });
  const { _id: judgeId, online } = judgeScorer as { _id: string; online: { profileId: string } };
  await post("/ingest/traces", { name: "greeter", input: "Hello", output: "Good day.", sessionId: "long-talk" });
  await waitUntil("the judge has rated the session", async () => {
    await post("/agent-monitoring/session-sweep/run", {});
    const { body } = await client.send("GET", `/monitor/online-evaluators/${online.profileId}/events`);
    return (body as { totalCount: number }).totalCount === 1;
  });
  const { page, problems, close } = await openPage();
  try {
    await page.goto(`${base}/judges/${judgeId}`);
    await ratingsOf(page).getByRole("columnheader", { name: "Session", exact: true }).waitFor();
    await ratingsOf(page)
      .getByRole("button", { name: /^Why: / })
      .first()
      .click();
    await whyPanel(page).getByRole("link", { name: "long-talk", exact: true }).waitFor();
    await page.reload();
    await whyPanel(page).getByRole("link", { name: "long-talk", exact: true }).waitFor();
    await page.keyboard.press("Escape");
    await ratingsOf(page).getByRole("link", { name: "long-talk", exact: true }).click();
    await page.getByRole("list", { name: "Turns" }).getByText("Good day.").waitFor();
    expect(problems).toEqual([]);
  } finally {
    await close();
  }
});
