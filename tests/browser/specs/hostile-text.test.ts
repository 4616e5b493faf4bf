import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { openPage } from "../src/open-page.ts";
import { createOwnProject } from "../src/projects.ts";

const { base, url, post } = await createOwnProject();

const script = '<img src=x onerror="globalThis.wasRun=1"><script>globalThis.wasRun=1</script>';
const link = "[press me](javascript:globalThis.wasRun=1) and ![picture](http://127.0.0.1:9/leak.png)";

async function send(trace: object): Promise<string> {
  return String((await post("/ingest/traces", trace)).traceId);
}

/** Opens each tab of a trace, and then the list. */
async function lookAround(page: Page, traceId: string): Promise<void> {
  await page.goto(`${base}/traces/${traceId}`);
  for (const name of ["Chat", "Verdicts", "Attributes", "Raw"]) {
    await page.getByRole("tab", { name }).first().click();
    await page.getByRole("tabpanel").first().waitFor();
  }
  await page.goto(`${base}/traces`);
  await page.getByRole("heading", { name: "Traces" }).waitFor();
}

test("script tags and javascript: links of an agent stay text, and no image is fetched", async () => {
  const traceId = await send({
    name: script,
    input: [{ role: "user", content: script }],
    output: `${script} ${link}`,
    metadata: { [script]: link },
    error: script,
  });
  const { page, problems, close } = await openPage();
  const foreign: string[] = [];
  page.on("request", (request) => {
    if (!request.url().startsWith(url)) foreign.push(request.url());
  });
  await page.goto(`${base}/traces/${traceId}`);
  await page.getByRole("tab", { name: "Chat" }).first().click();
  await page.getByText("press me").first().waitFor();
  expect(await page.locator("a[href^='javascript']").count()).toBe(0);
  await page.getByText("press me").first().click();
  await lookAround(page, traceId);
  expect(await page.evaluate("globalThis.wasRun")).toBeUndefined();
  expect(foreign).toEqual([]);
  expect(problems).toEqual([]);
  await close();
});

test("five megabytes, bidirectional controls and two hundred levels of JSON are displayed without an error", async () => {
  const nest = (levels: number): unknown =>
    Array.from({ length: levels }).reduce<unknown>((inner) => ({ inner }), "the bottom");
  const traceId = await send({
    name: "‮txet desrever",
    input: "word ".repeat(1_000_000),
    output: `‮⁦${"x".repeat(100_000)}`,
    // The API accepts 120 levels as JSON, and any number as text.
    metadata: { deep: nest(120), text: JSON.stringify(nest(200)) },
  });
  const { page, problems, close } = await openPage({ width: 390 });
  await lookAround(page, traceId);
  expect(problems).toEqual([]);
  await close();
});
