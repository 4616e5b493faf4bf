import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openPage } from "../src/open-page.ts";
import { type OwnInstallation, startOwnInstallation } from "../src/own-installation.ts";
import { inspect, type OpenedPage } from "../src/watch-page.ts";

const password = "correct horse battery";

/** Fills in the form and waits for the first page of a project. */
async function signUp({ page, settle }: OpenedPage, name: string): Promise<void> {
  await page.getByLabel("Name").fill(name);
  await page.getByLabel("E-mail address").fill(`${name.toLowerCase()}@example.com`);
  await page.getByLabel("Password", { exact: true }).fill(password);
  await settle();
  await page.locator("button[type=submit]").click();
}

const awaitProject = (page: Page): Promise<void> => page.waitForURL(/\/p\/[0-9a-f-]{36}/);

let own: OwnInstallation;

beforeAll(async () => {
  own = await startOwnInstallation({ SERVICE_AUTH: "enabled", SERVICE_ADMIN_TOKEN: "the operator's token" });
});

afterAll(() => own?.remove());

test("the first account owns the existing data, invites another account, and a member cannot do what only owners may", async () => {
  const ada = await openPage();
  await ada.page.goto(own.url);
  await ada.page.getByRole("heading", { name: "Sign up" }).waitFor();
  expect(await inspect(ada.page)).toEqual([]);
  await signUp(ada, "Ada");
  await awaitProject(ada.page);

  await ada.page.goto(`${own.url}/account`);
  await ada.page.getByRole("navigation").getByRole("link", { name: "Ada's Workspace" }).click();
  await ada.page.getByLabel("E-mail address").fill("grace@example.com");
  await ada.page.getByRole("button", { name: "Invite", exact: true }).click();
  const link = await ada.page.getByText("/accept-invite?token=").textContent();
  expect(await inspect(ada.page)).toEqual([]);

  const grace = await openPage();
  await grace.page.goto(link ?? "");
  await grace.page.getByRole("link", { name: "Sign up" }).click();
  await signUp(grace, "Grace");
  await grace.page.getByRole("button", { name: /^Join/ }).click();
  await awaitProject(grace.page);
  await grace.page.getByRole("link", { name: "Settings" }).click();
  await grace.page.getByRole("heading", { level: 1, name: "Settings" }).waitFor();
  // The page knows a user's permissions once it has read the role.
  await grace.settle();
  expect(await grace.page.getByRole("button", { name: "Replace the key" }).isDisabled()).toBe(true);
  await ada.page.goto(own.url);
  await awaitProject(ada.page);
  await ada.page.getByRole("link", { name: "Settings" }).click();
  await ada.page.getByRole("heading", { level: 1, name: "Settings" }).waitFor();
  await ada.settle();
  expect(await ada.page.getByRole("button", { name: "Replace the key" }).isDisabled()).toBe(false);
  expect([...ada.problems, ...grace.problems]).toEqual([]);
  await ada.close();
  await grace.close();
});

test("a signed-out user is asked to sign in and returns to the requested page", async () => {
  const { page, close } = await openPage({ mayFail: (_, status) => status === 401 });
  await page.goto(`${own.url}/account`);
  await page.waitForURL(/\/sign-in\?next=/);
  await page.getByLabel("E-mail address").fill("ada@example.com");
  await page.getByLabel("Password", { exact: true }).fill("not the password");
  await page.locator("button[type=submit]").click();
  await page.getByRole("alert").first().waitFor();
  expect(await page.getByLabel("E-mail address").inputValue()).toBe("ada@example.com");
  await page.getByLabel("Password", { exact: true }).fill(password);
  await page.locator("button[type=submit]").click();
  await page.waitForURL(`${own.url}/account`);
  await close();
});

test("a wrong operator's token does not end the session", async () => {
  const { page, close } = await openPage({ mayFail: (_, status) => status === 401 });
  await page.goto(`${own.url}/sign-in`);
  await page.getByLabel("E-mail address").fill("ada@example.com");
  await page.getByLabel("Password", { exact: true }).fill(password);
  await page.locator("button[type=submit]").click();
  await awaitProject(page);
  await page.goto(`${/.*\/p\/[^/]+/.exec(page.url())?.[0]}/settings/installation`);
  await page.getByLabel("Operator's token").fill("a guess");
  await page.getByRole("button", { name: "Show" }).click();
  await page.getByText("This is not the operator's token.").waitFor();
  expect(await page.getByText("Your session has ended").count()).toBe(0);
  await page.getByLabel("Operator's token").fill("the operator's token");
  await page.getByRole("button", { name: "Show" }).click();
  await page.getByRole("heading", { name: "What one PostgreSQL holds" }).waitFor();
  await close();
});

test("a session that ends while a form is filled in is renewed in place, and no input is lost", async () => {
  const { page, context, settle, close } = await openPage({ mayFail: (_, status) => status === 401 });
  await page.goto(`${own.url}/sign-in`);
  await page.getByLabel("E-mail address").fill("ada@example.com");
  await page.getByLabel("Password", { exact: true }).fill(password);
  await page.locator("button[type=submit]").click();
  await awaitProject(page);
  await page.goto(`${/.*\/p\/[^/]+/.exec(page.url())?.[0]}/judges/new`);
  await settle();
  await page.getByLabel("Name", { exact: true }).fill("Polite");
  await page.getByLabel("What is rated").fill("Is the answer polite?");
  await context.clearCookies();
  await page.getByRole("button", { name: /^(Create|Save)/ }).click();
  await page.getByText("Your session has ended").waitFor();
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
  await page.getByRole("dialog").getByLabel("Password", { exact: true }).fill(password);
  await page.getByRole("dialog").locator("button[type=submit]").click();
  await page.getByText("Your session has ended").waitFor({ state: "hidden" });
  expect(await page.getByLabel("Name", { exact: true }).inputValue()).toBe("Polite");
  await page.getByRole("button", { name: /^(Create|Save)/ }).click();
  await page.getByRole("heading", { level: 1, name: "Polite" }).waitFor();
  await close();
});
