import { expect, test } from "vitest";
import { openPage } from "../src/open-page.ts";
import { createOwnProject } from "../src/projects.ts";
import { inspect } from "../src/watch-page.ts";

const { base, post } = await createOwnProject();

test("a session shows what its clients say of it, beside its turns", async () => {
  const sessionId = "talk-1";
  await post("/ingest/traces", { name: "greeter", input: "Hello", output: "Good day.", sessionId });
  const score = { sessionId, name: "politeness", value: 0.75, source: "human", comment: "Friendly in every turn." };
  await post("/scores", score);
  await post("/scores", { sessionId: "talk-2", name: "brevity", value: 1 });
  const { page, problems, settle, close } = await openPage();
  try {
    await page.goto(`${base}/sessions/${sessionId}`);
    await page.getByRole("list", { name: "Turns" }).getByText("Good day.").waitFor();
    await page.getByRole("heading", { name: "Scores of the session" }).waitFor();
    const shown = page.getByRole("listitem").filter({ hasText: "politeness" });
    await shown.getByText("0.75").waitFor();
    await shown.getByText("Friendly in every turn.").waitFor();
    expect(await page.getByText("brevity").count()).toBe(0);
    await settle();
    expect(await inspect(page)).toEqual([]);
    expect(problems).toEqual([]);
  } finally {
    await close();
  }
});
