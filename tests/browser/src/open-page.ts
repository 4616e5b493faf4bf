import type { Browser } from "playwright-core";
import { inject } from "vitest";
import { launchBrowser } from "./find-browser.ts";
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
