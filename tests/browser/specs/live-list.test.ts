import type { Page } from "playwright-core";
import { beforeAll, expect, test } from "vitest";
import { openPage } from "../src/open-page.ts";
import { createOwnProject } from "../src/projects.ts";

/** More rows than a window shows. */
const firstCount = 60;

const { base, post } = await createOwnProject();
const store = (input: string) => post("/ingest/traces", { name: "helper", input });

beforeAll(async () => {
  for (let index = 1; index <= firstCount; index += 1) await store(`Early question ${index}`);
});

/** Opens the list, follows it, and expects no problem on the page. */
async function follow(look: (page: Page) => Promise<void>): Promise<void> {
  const { page, problems, settle, close } = await openPage();
  try {
    await page.goto(`${base}/traces`);
    await page.getByRole("button", { name: "Live" }).waitFor();
    await settle();
    await look(page);
    expect(problems).toEqual([]);
  } finally {
    await close();
  }
}

test("rows that wait above the user's place still wait after the list was paused and followed again", () =>
  follow(async (page) => {
    await page.getByText(`Early question ${firstCount}`).first().hover();
    await page.mouse.wheel(0, 600);
    await page.getByText(`Early question ${firstCount}`).first().waitFor({ state: "hidden" });
    await store("Before the pause");
    await page.getByRole("button", { name: "1 new" }).waitFor();

    await page.keyboard.press("l");
    await page.getByRole("button", { name: "Paused" }).waitFor();
    await store("During the pause");
    await page.keyboard.press("l");
    await page.getByRole("button", { name: "2 new" }).waitFor();
    await page.mouse.wheel(0, -10_000);
    await page.getByText("During the pause").first().waitFor();
    await page.getByText("Before the pause").first().waitFor();
  }));

test("a trace that was stored while a filter excluded it is in the list once the filter is cleared", () =>
  follow(async (page) => {
    const search = page.getByRole("searchbox");
    await search.fill("Early question 17");
    await page.getByText(`Early question ${firstCount}`).first().waitFor({ state: "hidden" });
    await page.getByText("Early question 17").first().waitFor();
    await store("Outside of the filter");
    // It is stored later and is shown, so the stream has gone past the one before it.
    await store("Inside of it: Early question 17");
    await page.getByText("Inside of it").first().waitFor();

    await search.fill("");
    await page.getByText("Outside of the filter").first().waitFor();
  }));

test("a cleared filter that matched nothing keeps its field until the whole list is read", async () => {
  const { page, close } = await openPage();
  await page.goto(`${base}/traces?search=matches-nothing`);
  await page.getByText("No trace matches").waitFor();
  let isAsked = false;
  let answer = (): void => undefined;
  const held = new Promise<void>((resolve) => {
    answer = resolve;
  });
  await page.route(/\/ingest\/traces\?/, async (route) => {
    isAsked = true;
    await held;
    return route.continue();
  });
  await page.getByRole("searchbox").fill("");
  await expect.poll(() => isAsked).toBe(true);
  expect(await page.locator("input[type=search]:focus").count()).toBe(1);
  expect(await page.getByText(/No traces left|first trace/).count()).toBe(0);
  answer();
  await page.getByText(`Early question ${firstCount}`).first().waitFor();
  await close();
});
