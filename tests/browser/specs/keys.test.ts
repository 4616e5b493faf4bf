import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { openPage } from "../src/open-page.ts";
import { createOwnProject } from "../src/projects.ts";
import { inspect } from "../src/watch-page.ts";

const isRefusal = (_: string, status: number | null): boolean => status === 401;

/** Makes the gateway offer no key of a default project, as one does that did not create it. */
async function offerNoKey(page: Page): Promise<void> {
  await page.route("**/api/v1/auth/config", async (route) => {
    const response = await route.fetch();
    await route.fulfill({ response, json: { ...(await response.json()), apiKey: null } });
  });
}

async function paste(page: Page, key: string): Promise<void> {
  await page.getByLabel("Project API key", { exact: true }).fill(key);
  await page.getByRole("button", { name: "Connect", exact: true }).click();
}

test("without a default project the page asks for a key, and asks again after Disconnect", async () => {
  const { base, apiKey } = await createOwnProject();
  const { page, problems, settle, close } = await openPage({ mayFail: isRefusal });
  await offerNoKey(page);
  await page.goto(`${base}/traces`);
  await page.getByRole("heading", { name: "Connect to a project", exact: true }).waitFor();
  expect(await inspect(page)).toEqual([]);
  await paste(page, "not-a-key");
  await page.getByText("The key that was used here no longer works.").waitFor();
  expect(await inspect(page)).toEqual([]);
  await paste(page, apiKey);
  await page.getByRole("heading", { level: 1, name: "Traces", exact: true }).waitFor();
  await settle();

  await page.getByRole("button", { name: "Own project", exact: true }).click();
  await page.getByRole("menuitem", { name: "Disconnect", exact: true }).click();
  await page.getByRole("heading", { name: "Connect to a project", exact: true }).waitFor();
  expect(await page.evaluate(() => JSON.stringify({ ...localStorage, ...sessionStorage }))).not.toContain(apiKey);
  await page.reload();
  await page.getByRole("heading", { name: "Connect to a project", exact: true }).waitFor();
  await page.unroute("**/api/v1/auth/config");
  await page.getByRole("button", { name: "Use the default project", exact: true }).click();
  await page.getByRole("navigation", { name: "Pages", exact: true }).waitFor();
  expect(problems).toEqual([]);
  await close();
});

test("a page whose key was replaced elsewhere asks for the new one in place, and keeps what was typed", async () => {
  const { base, apiKey, client, post } = await createOwnProject();
  await post("/ingest/traces", { name: "weather-agent", input: "How is the weather?" });
  await post("/ingest/traces", { name: "refund-agent", input: "I want my money back" });
  const { page, problems, close } = await openPage({ mayFail: isRefusal });
  await offerNoKey(page);
  await page.goto(`${base}/traces`);
  await paste(page, apiKey);
  await page.getByText("I want my money back").first().waitFor();

  const projectId = base.split("/p/")[1];
  const { project } = (await post(`/projects/${projectId}/rotate-key`, {})) as { project: { apiKey: string } };
  await expect.poll(async () => (await client.send("GET", "/projects")).status).toBe(401);
  await page.getByRole("searchbox").fill("weather");
  await page.getByText("The project's key no longer works.").waitFor();
  expect(await inspect(page)).toEqual([]);
  await page.getByRole("button", { name: "Paste the key", exact: true }).click();
  await paste(page, "not-a-key");
  await page.getByText("This key does not open the project.").waitFor();
  expect(await inspect(page)).toEqual([]);
  await paste(page, project.apiKey);
  await page.getByText("The project's key no longer works.").waitFor({ state: "hidden" });
  await page.getByText("I want my money back").first().waitFor({ state: "hidden" });
  expect(await page.getByText("How is the weather?").first().isVisible()).toBe(true);
  expect(await page.getByRole("searchbox").inputValue()).toBe("weather");
  expect(problems).toEqual([]);
  await close();
});

test("beyond this machine a project without accounts warns that its address is open to all, and on this machine it does not", async () => {
  const { base, url } = await createOwnProject();
  const { page, settle, close } = await openPage({ mayFail: () => true });
  const warning = page.getByText("Everybody who can reach this address can read and change this project");
  await page.goto(`${base}/datasets`);
  await settle();
  expect(await warning.count()).toBe(0);

  // The name of another machine, whose requests are sent to the tested one.
  const elsewhere = "http://touchstone.example";
  await page.route(`${elsewhere}/**`, async (route) => {
    const asked = route.request();
    // A stream does not end, so it cannot be passed on as a whole.
    if (asked.url().includes("/stream")) return route.abort();
    const headers = { ...asked.headers(), origin: url };
    await route.fulfill({ response: await route.fetch({ url: asked.url().replace(elsewhere, url), headers }) });
  });
  await page.goto(`${elsewhere}${new URL(base).pathname}/datasets`);
  await warning.waitFor();
  await page.getByText("SERVICE_AUTH=enabled").waitFor();
  await settle();
  expect(await inspect(page)).toEqual([]);
  // The page loads scripts in advance, whose answers the test does not wait for.
  await page.unrouteAll({ behavior: "ignoreErrors" });
  await close();
});
