import { afterAll, beforeAll, expect, test } from "vitest";
import { openPage } from "../src/open-page.ts";
import { type OwnEndpoint, startOwnEndpoint } from "../src/own-endpoint.ts";
import { type OwnInstallation, startOwnInstallation } from "../src/own-installation.ts";

// Provider keys and prices are of a whole installation.
let own: OwnInstallation;
let base: string;
/** An endpoint that has one model. */
let endpoint: OwnEndpoint;

beforeAll(async () => {
  endpoint = await startOwnEndpoint(() => ({ status: 200, body: { data: [{ id: "house-model" }] } }));
  own = await startOwnInstallation();
  const { projects } = (await own.client.send("GET", "/projects")).body as { projects: { _id: string }[] };
  base = `${own.url}/p/${projects[0]?._id}`;
});

afterAll(async () => {
  await own?.remove();
  await endpoint?.stop();
});

async function read(route: string): Promise<unknown> {
  return (await own.client.send("GET", route)).body;
}

test("a model of an own endpoint is tested and priced, and its price is changed and removed", async () => {
  const { page, problems, close } = await openPage();
  const dialog = page.getByRole("dialog");
  const menu = page.getByRole("button", { name: "Change House", exact: true });
  const priced = async (): Promise<unknown> => {
    const { models } = (await read("/agent-monitoring/portability/models")) as { models: { id: string }[] };
    return models.find(({ id }) => id === "house-model");
  };
  await page.goto(`${base}/settings/models`);
  await page.getByRole("button", { name: "Add a model", exact: true }).click();
  await dialog.getByLabel("Model", { exact: true }).fill("another-model");
  await dialog.getByLabel("Name", { exact: true }).fill("House");
  await dialog.getByLabel("Called at", { exact: true }).selectOption({ label: "Own endpoint" });
  await dialog.getByLabel("Input", { exact: true }).fill("1.5");
  await dialog.getByLabel("Output", { exact: true }).fill("6");
  await dialog.getByLabel("Address", { exact: true }).fill(`${endpoint.url}/v1`);
  await dialog.getByRole("button", { name: "Try the endpoint", exact: true }).click();
  await dialog.getByText("It has: house-model", { exact: true }).waitFor();
  await dialog.getByLabel("Model", { exact: true }).fill("house-model");
  await dialog.getByRole("button", { name: "Try the endpoint", exact: true }).click();
  await dialog.getByText("It answers and has the model.", { exact: true }).waitFor();
  await dialog.getByRole("button", { name: "Add the model", exact: true }).click();
  await page.getByText("House: price stored.").waitFor();
  await page.getByRole("row", { name: "House" }).getByText("$1.50", { exact: true }).waitFor();
  expect(await priced()).toMatchObject({ pricePerMInputTokens: 1.5, pricePerMOutputTokens: 6 });

  await menu.click();
  await page.getByRole("menuitem", { name: "Change", exact: true }).click();
  await dialog.getByLabel("Output", { exact: true }).fill("7");
  await dialog.getByRole("button", { name: "Store", exact: true }).click();
  await page.getByRole("row", { name: "House" }).getByText("$7", { exact: true }).waitFor();
  expect(await priced()).toMatchObject({ pricePerMInputTokens: 1.5, pricePerMOutputTokens: 7 });

  await menu.click();
  await page.getByRole("menuitem", { name: "Remove", exact: true }).click();
  await dialog.getByRole("button", { name: "Remove the model", exact: true }).click();
  await page.getByText("house-model is removed.", { exact: true }).waitFor();
  expect(await priced()).toBeUndefined();
  expect(problems).toEqual([]);
  await close();
});

test("a provider key is stored, shown masked only, and removed", async () => {
  const { page, problems, close } = await openPage();
  const key = "sk-written-by-a-test-0123456789";
  await page.goto(`${base}/settings/provider-keys`);
  const field = page.getByLabel("OpenAI key", { exact: true });
  await field.fill(key);
  const form = page.locator("form").filter({ has: field });
  await form.getByRole("button", { name: "Store", exact: true }).click();
  await page.getByText("OpenAI: key stored.").waitFor();
  expect(await page.getByLabel("New OpenAI key", { exact: true }).inputValue()).toBe("");
  expect(await read("/agent-monitoring/settings")).toMatchObject({ llm: { openai: { masked: expect.any(String) } } });
  expect(JSON.stringify(await read("/agent-monitoring/settings"))).not.toContain(key);
  expect(await page.content()).not.toContain(key);

  await page.getByRole("button", { name: "Remove", exact: true }).click();
  await page.getByRole("button", { name: "Remove the key", exact: true }).click();
  await page.getByText("OpenAI: key removed.").waitFor();
  await field.waitFor();
  expect(await read("/agent-monitoring/settings")).toMatchObject({ llm: { openai: { masked: null } } });
  expect(problems).toEqual([]);
  await close();
});

test("a change of the retention shows how many traces it deletes, and is stored once it is confirmed", async () => {
  const timestamp = new Date(Date.now() - 10 * 86_400_000).toISOString();
  await own.client.send("POST", "/ingest/traces", { name: "old-agent", timestamp });
  const { page, problems, close } = await openPage();
  const change = page.getByRole("button", { name: "Change the retention", exact: true });
  const stored = () => read("/agent-monitoring/settings/retention");
  await page.goto(`${base}/settings/retention`);
  await page.getByLabel("For a number of days", { exact: true }).check();
  await page.getByLabel("Days", { exact: true }).fill("7");
  await page.getByText("1 trace from before").waitFor();
  await change.click();
  const dialog = page.getByRole("dialog", { name: "Keep traces for 7 days?", exact: true });
  await dialog.getByRole("button", { name: "Cancel", exact: true }).click();
  expect(await stored()).toMatchObject({ retentionDays: null });
  await change.click();
  await dialog.getByRole("button", { name: "Delete older traces", exact: true }).click();
  await page.getByText("Traces are kept for 7 days.", { exact: true }).waitFor();
  expect(await stored()).toMatchObject({ retentionDays: 7, effectiveRetentionDays: 7 });
  expect(problems).toEqual([]);
  await close();
});
