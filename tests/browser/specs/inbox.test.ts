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
