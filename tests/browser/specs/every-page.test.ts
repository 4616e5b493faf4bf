import { expect, test } from "vitest";
import { inspectPage } from "../src/looks.ts";
import { openPage } from "../src/open-page.ts";
import { listInspectedRoutes, listPages, projectPages } from "../src/pages.ts";
import { sample } from "../src/projects.ts";

test.each(listPages(projectPages(sample)))("%s is clean in both themes, wide and narrow", async (name, address) => {
  const opened = await openPage();
  try {
    const problems = await inspectPage(opened, name, sample.base + address);
    expect([...opened.problems, ...problems]).toEqual([]);
  } finally {
    await opened.close();
  }
});

test("no route of the dashboard is without an inspected page", async () => {
  const { page, settle, close } = await openPage();
  try {
    await page.goto(sample.base);
    await settle();
    // The router keeps itself there.
    const paths = await page.evaluate<string[]>("Object.keys(__TSR_ROUTER__.routesByPath)");
    expect(paths.sort()).toEqual(listInspectedRoutes(sample));
  } finally {
    await close();
  }
});
