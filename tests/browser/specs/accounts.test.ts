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

/** Signs in and returns the prefix of the pages of the project that opens. */
async function signIn(page: Page, name: string): Promise<string | undefined> {
  await page.goto(`${own.url}/sign-in`);
  await page.getByLabel("E-mail address").fill(`${name}@example.com`);
  await page.getByLabel("Password", { exact: true }).fill(password);
  await page.locator("button[type=submit]").click();
  await awaitProject(page);
  return /.*\/p\/[^/]+/.exec(page.url())?.[0];
}

/** The project that a user opens first, with its key. */
async function readProject(page: Page): Promise<{ apiKey: string; organizationId: string }> {
  const answer = await page.request.get(`${own.url}/api/v1/projects`);
  return (await answer.json()).projects[0];
}

/** Sends a POST as a program does, with the project's key, and returns the body of its answer. */
async function post(page: Page, route: string, data: object) {
  const headers = { "x-api-key": (await readProject(page)).apiKey };
  const answer = await page.request.post(`${own.url}/api/v1${route}`, { headers, data });
  return answer.json();
}

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

const onlyAdmins = "Only an owner or admin of Ada's Workspace may do this.";

test("a member cannot delete a trace, and the log names the owner who did", async () => {
  const ada = await openPage();
  const base = await signIn(ada.page, "ada");
  const { organizationId } = await readProject(ada.page);
  const { traceId } = await post(ada.page, "/ingest/traces", { name: "refund-agent", output: "Refunded" });

  const grace = await openPage();
  await signIn(grace.page, "grace");
  await grace.page.goto(`${base}/traces`);
  await grace.page.getByRole("row", { name: "refund-agent" }).getByRole("checkbox").check();
  const selected = grace.page.getByRole("toolbar", { name: "Selected traces", exact: true });
  const forbidden = selected.getByRole("button", { name: "Delete", exact: true });
  await expect.poll(() => forbidden.getAttribute("data-tooltip")).toBe(onlyAdmins);
  expect(await forbidden.isDisabled()).toBe(true);
  await grace.page.goto(`${base}/traces/${traceId}`);
  await grace.page.getByRole("button", { name: "More", exact: true }).click();
  const item = grace.page.getByRole("menuitem", { name: /^Delete/ });
  await expect.poll(() => item.textContent()).toContain(onlyAdmins);
  expect(await item.isDisabled()).toBe(true);
  // An open page of the trace would ask for it again.
  await grace.close();

  await ada.page.goto(`${base}/traces/${traceId}`);
  await ada.page.getByRole("button", { name: "More", exact: true }).click();
  await ada.page.getByRole("menuitem", { name: "Delete…", exact: true }).click();
  await ada.page.getByRole("button", { name: "Delete 1 span", exact: true }).click();
  await ada.page.getByText("Trace of 1 span deleted.", { exact: true }).waitFor();
  await ada.page.goto(`${own.url}/org/${organizationId}/log`);
  const act = ada.page.getByRole("listitem").filter({ hasText: "Traces deleted" });
  // Ingest reports its acts to the log a moment later.
  const countActs = async (): Promise<number> => {
    await ada.page.reload();
    await ada.settle();
    return act.count();
  };
  await expect.poll(countActs).toBe(1);
  expect(await act.textContent()).toContain("by ada@example.com in Default");
  expect(await inspect(ada.page)).toEqual([]);
  expect([...ada.problems, ...grace.problems]).toEqual([]);
  await ada.close();
});

test("a member reads webhooks and patterns, and cannot change what only owners and admins may", async () => {
  const { page, problems, settle, close } = await openPage();
  const base = await signIn(page, "grace");
  await page.goto(`${base}/agents?tab=webhooks`);
  await settle();
  const create = page.getByRole("button", { name: "Webhook", exact: true });
  await expect.poll(() => create.getAttribute("data-tooltip")).toBe(onlyAdmins);
  expect(await create.isDisabled()).toBe(true);
  await page.keyboard.press("n");
  expect(await page.getByRole("complementary").count()).toBe(0);
  const sent = { url: "https://receiver.example/hook", events: ["signal.new"], minSeverity: "low" };
  const { webhook } = await post(page, "/agent-monitoring/webhooks", sent);
  await page.goto(`${base}/agents?tab=webhooks&open=${webhook._id}`);
  const panel = page.getByRole("complementary");
  for (const name of ["Save", "Renew the secret", "Delete", "Send a test"]) {
    const button = panel.getByRole("button", { name, exact: true });
    await expect.poll(() => button.getAttribute("data-tooltip")).toBe(onlyAdmins);
    expect(await button.isDisabled()).toBe(true);
  }
  expect(await panel.getByLabel("Address", { exact: true }).isDisabled()).toBe(true);
  expect(await inspect(page)).toEqual([]);

  await page.goto(`${base}/agents?tab=patterns`);
  await page.getByRole("row").nth(1).click();
  const toggle = page.getByRole("button", { name: /^Switch it (on|off)$/ });
  await expect.poll(() => toggle.getAttribute("data-tooltip")).toBe(onlyAdmins);
  expect(await toggle.isDisabled()).toBe(true);
  expect(problems).toEqual([]);
  await close();
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
  await page.goto(`${await signIn(page, "ada")}/settings/installation`);
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
  await page.goto(`${await signIn(page, "ada")}/judges/new`);
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
