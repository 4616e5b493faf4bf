import { expect, test } from "vitest";
import { waitUntil } from "../../integration/src/wait-until.ts";
import { openPage } from "../src/open-page.ts";
import { createOwnProject } from "../src/projects.ts";

const { base, client, post } = await createOwnProject();
const signalCount = 12;

test("ten signals are dismissed by keyboard, and the last one is restored", async () => {
  for (let index = 0; index < signalCount; index += 1) {
    const { traceId } = await post("/ingest/traces", { name: `agent-${index}`, input: "Hello", output: "Hi." });
    await post("/feedback", { traceId, rating: "down" });
  }
  await waitUntil("each vote has raised a signal", async () => {
    const { body } = await client.send("GET", "/monitor/signals?status=open");
    return (body as { totalCount: number }).totalCount === signalCount;
  });
  const { page, problems, settle, close } = await openPage();
  try {
    await page.goto(base);
    await page.getByRole("heading", { level: 1 }).waitFor();
    await page.keyboard.press("g");
    await page.keyboard.press("i");
    await page.getByRole("heading", { level: 1, name: "Inbox" }).waitFor();
    await settle();
    await page.getByRole("button", { name: `Open ${signalCount}`, exact: true }).waitFor();
    for (let done = 1; done <= 10; done += 1) {
      await page.keyboard.press(done % 2 === 0 ? "e" : "d");
      await page.getByRole("button", { name: `Open ${signalCount - done}`, exact: true }).waitFor();
    }
    await page.keyboard.press("u");
    await page.getByRole("button", { name: `Open ${signalCount - 9}`, exact: true }).waitFor();
    expect(problems).toEqual([]);
  } finally {
    await close();
  }
});

test("the shown signal and the text typed about it stay when another signal arrives", async () => {
  const own = await createOwnProject();
  const raise = async (name: string, count: number): Promise<string> => {
    const { traceId } = await own.post("/ingest/traces", { name, input: "Hello", output: "Hi." });
    await own.post("/feedback", { traceId, rating: "down" });
    let newest = "";
    await waitUntil(`the vote on ${name} has raised a signal`, async () => {
      const { body } = await own.client.send("GET", "/monitor/signals?status=open");
      const { signals, totalCount } = body as { signals: { _id: string }[]; totalCount: number };
      newest = signals[0]?._id ?? "";
      return totalCount === count;
    });
    return newest;
  };
  const first = await raise("first-agent", 1);
  const { page, problems, settle, close } = await openPage();
  try {
    await page.goto(`${own.base}/inbox`);
    await page.getByRole("region", { name: "Signal", exact: true }).getByText("first-agent").first().waitFor();
    await settle();
    await page.keyboard.press("a");
    const dialog = page.getByRole("dialog", { name: "Add to a dataset" });
    await dialog.getByLabel("Question", { exact: true }).fill("Who are you?");
    await raise("second-agent", 2);
    await page.getByRole("button", { name: "Open 2", exact: true, includeHidden: true }).waitFor();
    expect(await dialog.getByLabel("Question", { exact: true }).inputValue()).toBe("Who are you?");
    await dialog.getByRole("button", { name: "Cancel", exact: true }).click();
    await dialog.waitFor({ state: "detached" });
    await page.keyboard.press("e");
    await page.getByRole("button", { name: "Open 1", exact: true }).waitFor();
    await waitUntil("the first signal is resolved", async () => {
      const { body } = await own.client.send("GET", `/monitor/signals/${first}`);
      return (body as { signal: { status: string } }).signal.status === "resolved";
    });
    expect(problems).toEqual([]);
  } finally {
    await close();
  }
});

test("a day of a signal's trend and its count open what they count, the day by a key, too", async () => {
  const own = await createOwnProject();
  const count = 23;
  for (let index = 0; index < count; index += 1) {
    const input = `Question ${index}`;
    const { traceId } = await own.post("/ingest/traces", {
      name: "one-agent",
      agent_name: "one",
      input,
      output: "Hi.",
    });
    await own.post("/feedback", { traceId, rating: "down" });
  }
  await waitUntil("every vote is counted", async () => {
    const { body } = await own.client.send("GET", "/monitor/signals?status=open");
    const { signals } = body as { signals: { occurrenceCount: number }[] };
    return signals.length === 1 && signals[0]?.occurrenceCount === count;
  });
  const { page, problems, close } = await openPage();
  try {
    await page.goto(`${own.base}/inbox`);
    const chart = page.getByRole("group", { name: /^Last 30 days over time.*Enter opens their occurrences/ });
    await chart.focus();
    await page.keyboard.press("ArrowLeft");
    await page.keyboard.press("Enter");
    await page.waitForURL(/day=/);
    const rows = page.getByRole("list", { name: /^Seen on / }).getByRole("listitem");
    await expect.poll(() => rows.count()).toBe(20);
    await page.getByText(`${count} times`, { exact: true }).last().waitFor();
    await page.getByRole("button", { name: "Show earlier", exact: true }).click();
    await expect.poll(() => rows.count()).toBe(count);

    await page.getByRole("link", { name: `${count} times`, exact: true }).click();
    const everyTime = page.getByRole("list", { name: "Every time it was seen", exact: true }).getByRole("listitem");
    await expect.poll(() => everyTime.count()).toBe(20);
    await page.goBack();
    await rows.last().getByRole("link", { name: "Trace", exact: true }).click();
    await page.getByText("Question 0", { exact: true }).first().waitFor();
    expect(problems).toEqual([]);
  } finally {
    await close();
  }
});

test("a day on which a signal was not seen is reported as such, and a filter leaves the day", async () => {
  const own = await createOwnProject();
  const { traceId } = await own.post("/ingest/traces", { name: "one-agent", input: "Hello", output: "Hi." });
  await own.post("/feedback", { traceId, rating: "down" });
  await waitUntil("the vote has raised a signal", async () => {
    const { body } = await own.client.send("GET", "/monitor/signals?status=open");
    return (body as { totalCount: number }).totalCount === 1;
  });
  const { page, problems, close } = await openPage();
  try {
    await page.goto(`${own.base}/inbox`);
    const chart = page.getByRole("group", { name: /^Last 30 days over time.*Enter opens their occurrences/ });
    await chart.focus();
    // Two days ago: midnight may have passed since the vote.
    for (let day = 0; day < 3; day += 1) await page.keyboard.press("ArrowLeft");
    await page.keyboard.press("Enter");
    await page.waitForURL(/day=/);
    await page.getByText("It was not seen on this day.", { exact: true }).waitFor();
    await page.getByRole("searchbox", { name: "Search signals", exact: true }).fill("one-agent");
    await page.waitForURL(/search=one-agent/);
    expect(page.url()).not.toContain("day=");
    expect(problems).toEqual([]);
  } finally {
    await close();
  }
});
