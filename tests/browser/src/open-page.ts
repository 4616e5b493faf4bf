import type { Browser, Page } from "playwright-core";
import { expect, inject } from "vitest";
import { launchBrowser } from "./find-browser.ts";
import { sample } from "./projects.ts";
import { refuseWrites } from "./refuse-writes.ts";
import { type OpenedPage, type View, watchPage } from "./watch-page.ts";

let opened: Promise<Browser> | null = null;

/** Opens a page in the browser that all files of a worker share, and that ends with it. Writes to the sample project are refused. */
export async function openPage(view: View = {}): Promise<OpenedPage> {
  opened ??= launchBrowser(inject("browserPath"));
  const page = await watchPage(await opened, view);
  await refuseWrites(page.context, inject("installation").apiKey);
  return page;
}

/** Looks at a page of the sample project; `path` is its address after the project. Expects that the page reports no problem. */
export async function withPage(path: string, look: (page: Page, opened: OpenedPage) => Promise<void>): Promise<void> {
  const inspected = await openPage();
  const { page, problems, close } = inspected;
  try {
    await page.goto(`${sample.base}/${path}`);
    await look(page, inspected);
    expect(problems).toEqual([]);
  } finally {
    await close();
  }
}

/** The panel that explains a rating. */
export const whyPanel = (page: Page) => page.getByRole("complementary", { name: "Why this score", exact: true });
