import type { Browser } from "playwright-core";
import { afterAll, inject } from "vitest";
import { launchBrowser } from "./find-browser.ts";
import { type OpenedPage, type View, watchPage } from "./watch-page.ts";

let opened: Promise<Browser> | null = null;

/** Opens a page in the browser that all tests of a file share. */
export async function openPage(view: View = {}): Promise<OpenedPage> {
  opened ??= launchBrowser(inject("browserPath"));
  return watchPage(await opened, view);
}

afterAll(async () => {
  const browser = await opened;
  opened = null;
  await browser?.close();
});
