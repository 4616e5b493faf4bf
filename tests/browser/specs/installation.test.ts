import { mkdir } from "node:fs/promises";
import path from "node:path";
import { beforeAll, expect, test } from "vitest";
import { openPage } from "../src/open-page.ts";
import { sample, operatorsToken as token } from "../src/projects.ts";
import { inspect } from "../src/watch-page.ts";

const screens = path.resolve(import.meta.dirname, "../../../.cache/screens");
const route = "**/api/v1/admin/system";

const address = `${sample.base}/settings/installation`;

beforeAll(async () => {
  await mkdir(screens, { recursive: true });
});

/** What the route answers when two thresholds are exceeded. */
const grown = {
  ...{ databaseBytes: 2.6e12, ingestBytes: 2.4e12, spans: 410e6, spansPerSecond: 812.4, spansOfFiveWeeks: 3.1e6 },
  retentionSweepSeconds: 4_200,
  thresholds: [
    { name: "ingestBytes", value: 2.4e12, threshold: 2e12, exceeded: true },
    { name: "spansPerSecond", value: 812.4, threshold: 5_000, exceeded: false },
    { name: "spansOfFiveWeeks", value: 3.1e6, threshold: 10e6, exceeded: false },
    { name: "retentionSweepSeconds", value: 4_200, threshold: 3_600, exceeded: true },
  ],
};

/** What the route answers before the first trace. */
const empty = {
  ...{ databaseBytes: 2.6e7, ingestBytes: 4e6, spans: 0, spansPerSecond: 0, spansOfFiveWeeks: 0 },
  retentionSweepSeconds: null,
  thresholds: grown.thresholds
    .slice(0, 3)
    .map((row) => ({ ...row, value: row.name === "ingestBytes" ? 4e6 : 0, exceeded: false })),
};

test("the operator's token shows what is stored beside what one PostgreSQL holds; a wrong one is refused", async () => {
  const { page, problems, settle, close } = await openPage({ mayFail: (_, status) => status === 401 });
  await page.goto(address);
  await page.getByLabel("Operator's token").fill("wrong");
  await page.getByRole("button", { name: "Show" }).click();
  await page.getByRole("alert").getByText("This is not the operator's token.").waitFor();
  await page.getByLabel("Operator's token").fill(token);
  await page.getByRole("button", { name: "Show" }).click();

  await page.getByText("There is room.").waitFor();
  await page.getByText("of 2 TB (<0.1%)").waitFor();
  await page.getByText(/of 10,000,000 \(0\.\d%\)/).waitFor();
  expect(problems).toEqual([]);
  await settle();
  expect(await inspect(page)).toEqual([]);
  expect(await page.evaluate(() => JSON.stringify({ ...localStorage, ...sessionStorage }))).not.toContain(token);
  await page.reload();
  await page.getByLabel("Operator's token").waitFor();
  await close();
});

test("an installation without a token says how to set one, and the same token then opens the page of an empty one", async () => {
  const { page, settle, close } = await openPage({ width: 390, mayFail: (_, status) => status === 404 });
  await page.route(route, (asked) => asked.fulfill({ json: empty }));
  await page.route(route, (asked) => asked.fulfill({ status: 404, json: { error: "Not found" } }), { times: 1 });
  await page.goto(address);
  await page.getByLabel("Operator's token").fill(token);
  await page.getByRole("button", { name: "Show" }).click();
  await page.getByText("Set SERVICE_ADMIN_TOKEN and restart Touchstone.").waitFor();
  await page.screenshot({ path: path.join(screens, "installation-refused-light-390.png") });
  expect(await inspect(page)).toEqual([]);
  await page.getByLabel("Operator's token").fill(token);
  await page.getByRole("button", { name: "Show" }).click();
  await page.getByText("Nothing is stored yet.").waitFor();
  await page.getByText("of 10,000,000 (0%)").waitFor();
  await settle();
  await page.screenshot({ path: path.join(screens, "installation-empty-light-390.png") });
  expect(await inspect(page)).toEqual([]);
  await close();
});

test.each([1440, 390])("an exceeded threshold is named, at %d px", async (width) => {
  const { page, problems, settle, close } = await openPage({ width });
  await page.route(route, (asked) => asked.fulfill({ json: grown }));
  await page.goto(address);
  await page.getByLabel("Operator's token").fill(token);
  await page.getByRole("button", { name: "Show" }).click();
  await page.getByText("More is stored than one PostgreSQL should hold.").waitFor();
  await page.getByText("Exceeded: a base backup and its restore take hours.").waitFor();
  await page.getByText("Exceeded: old traces are removed more slowly than new ones are stored.").waitFor();
  await page.getByText("410,000,000").waitFor();
  for (const theme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme: theme });
    await settle();
    await page.screenshot({ path: path.join(screens, `installation-exceeded-${theme}-${width}.png`) });
    problems.push(...(await inspect(page)).map((line) => `${theme}: ${line}`));
  }
  expect(problems).toEqual([]);
  await close();
});

test("the page waits for a slow answer, and offers another try when there is none", async () => {
  const { page, close } = await openPage({ mayFail: (_, status) => status === 503 });
  let answers = 0;
  await page.route(route, async (asked) => {
    answers += 1;
    // The first one and the two that follow by themselves.
    if (answers <= 3) return asked.fulfill({ status: 503, json: { error: "The database is unavailable" } });
    await page.locator("main [aria-busy='true']").first().waitFor();
    await asked.fulfill({ json: grown });
  });
  await page.goto(address);
  await page.getByLabel("Operator's token").fill(token);
  await page.getByRole("button", { name: "Show" }).click();
  await page.getByText("The database is unavailable").waitFor();
  await page.screenshot({ path: path.join(screens, "installation-unavailable-light-1440.png") });
  await page.getByRole("button", { name: "Try again" }).click();
  await page.getByText("More is stored than one PostgreSQL should hold.").waitFor();
  await close();
});
