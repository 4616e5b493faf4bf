import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { type IdentityProvider, startIdentityProvider } from "@touchstone/testkit/identity-provider";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { inspectPage } from "../src/looks.ts";
import { openPage } from "../src/open-page.ts";
import { type OwnInstallation, startOwnInstallation } from "../src/own-installation.ts";
import { accountPages, entryPages, listPages } from "../src/pages.ts";
import { inspect } from "../src/watch-page.ts";

const client = { id: "touchstone", secret: "the secret of touchstone" };
let folder: string;
let provider: IdentityProvider;
let own: OwnInstallation;

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "touchstone-mails-"));
  own = await startOwnInstallation(async (publicUrl) => {
    provider = await startIdentityProvider([{ ...client, redirectUri: `${publicUrl}/api/v1/auth/callback/oidc` }]);
    return {
      SERVICE_AUTH: "enabled",
      SERVICE_MULTI_TENANT: "true",
      SERVICE_REQUIRE_EMAIL_VERIFICATION: "true",
      SERVICE_EMAIL_DEBUG_DIR: folder,
      SERVICE_EMAIL_FROM: "Touchstone <touchstone@example.com>",
      SERVICE_OIDC_ISSUER: provider.issuer,
      SERVICE_OIDC_CLIENT_ID: client.id,
      SERVICE_OIDC_CLIENT_SECRET: client.secret,
      SERVICE_OIDC_NAME: "Example Inc.",
    };
  });
});

afterAll(async () => {
  await own?.remove();
  await provider?.stop();
  await rm(folder, { recursive: true, force: true });
});

/** The link in the newest mail of a kind, once this many have arrived. */
function readLink(kind: string, count: number): Promise<string> {
  return vi.waitFor(async () => {
    const files = (await readdir(folder)).sort();
    const mails = await Promise.all(
      files.map(async (file) => JSON.parse(await readFile(path.join(folder, file), "utf8"))),
    );
    const ofKind = mails.filter((mail) => mail.kind === kind);
    expect(ofKind).toHaveLength(count);
    return /^http\S+$/m.exec(ofKind.at(-1).text)?.[0] as string;
  });
}

async function signIn(page: Page, email: string, password: string): Promise<void> {
  await page.getByLabel("E-mail address").fill(email);
  await page.getByLabel("Password", { exact: true }).fill(password);
  await page.locator("button[type=submit]").click();
}

const awaitProject = (page: Page): Promise<void> => page.waitForURL(/\/p\/[0-9a-f-]{36}/);

/** By the navigation of the pages of an account. */
async function openOrganization(page: Page, name: string): Promise<void> {
  const places = page.getByRole("navigation", { name: "Account and organizations", exact: true });
  await places.getByRole("link", { name, exact: true }).click();
  await page.getByRole("heading", { level: 1, name, exact: true }).waitFor();
}

test("an address is verified by the link in its mail, and a forgotten password is reset", async () => {
  const { page, close, problems } = await openPage({ mayFail: (_, status) => status === 401 || status === 403 });
  await page.goto(`${own.url}/sign-up`);
  await page.getByLabel("Name").fill("Ada");
  await signIn(page, "ada@example.com", "correct horse battery");
  await page.getByText("The account is made.").waitFor();
  expect(await inspect(page)).toEqual([]);

  await page.goto(`${own.url}/sign-in`);
  await signIn(page, "ada@example.com", "correct horse battery");
  await page.getByRole("alert").first().waitFor();
  await page.goto(await readLink("verification", 1));
  await page.getByRole("heading", { name: "The address is verified" }).waitFor();
  expect(await inspect(page)).toEqual([]);
  await page.getByRole("link", { name: "Go on" }).click();
  await signIn(page, "ada@example.com", "correct horse battery");
  await awaitProject(page);

  await page.context().clearCookies();
  await page.goto(`${own.url}/sign-in`);
  await page.getByRole("link", { name: "Forgot the password?" }).click();
  // Until its page is loaded, the one before it is shown, which has a field of the same name.
  await page.getByRole("heading", { name: "Choose a new password" }).waitFor();
  await page.getByLabel("E-mail address").fill("ada@example.com");
  await page.getByRole("button", { name: "Mail a link" }).click();
  await page.getByText("a mail is on its way").waitFor();
  const link = await readLink("password-reset", 1);
  await page.goto(link);
  await page.getByLabel("New password").fill("battery horse correct");
  expect(await inspect(page)).toEqual([]);
  await page.getByRole("button", { name: "Change the password" }).click();
  await page.getByText("The password is changed").waitFor();

  await page.goto(link);
  await page.getByText("The link does not work any more").waitFor();
  expect(await inspect(page)).toEqual([]);
  await page.goto(`${own.url}/sign-in`);
  await signIn(page, "ada@example.com", "battery horse correct");
  await awaitProject(page);
  expect(problems).toEqual([]);
  await close();
});

test("the provider redirects to the requested page, signed in; its refusal is shown", async () => {
  provider.person = {
    sub: "grace",
    claims: { name: "Grace", email: "grace@example.com", email_verified: true },
  };
  const { page, close, problems } = await openPage({ mayFail: (_, status) => status === 401 });
  await page.goto(`${own.url}/account`);
  await page.getByRole("button", { name: "Continue with Example Inc." }).click();
  await page.waitForURL(`${own.url}/account`);
  await page.getByText("grace@example.com").first().waitFor();
  expect(await inspect(page)).toEqual([]);

  await page.context().clearCookies();
  await page.goto(`${own.url}/sign-in?error=access_denied`);
  await page.getByRole("alert").first().waitFor();
  expect(await page.getByRole("alert").first().textContent()).not.toContain("access_denied");
  expect(problems).toEqual([]);
  await close();
});

test("two tenants have a project each and cannot see each other's data", async () => {
  const ada = await openPage({ mayFail: (_, status) => status === 401 });
  await ada.page.goto(`${own.url}/sign-in`);
  await signIn(ada.page, "ada@example.com", "battery horse correct");
  await awaitProject(ada.page);
  const grace = await openPage({ mayFail: (_, status) => status === 401 });
  await grace.page.goto(`${own.url}/sign-in`);
  await grace.page.getByRole("button", { name: "Continue with Example Inc." }).click();
  await awaitProject(grace.page);
  const [adas, graces] = [ada, grace].map(({ page }) => /\/p\/([0-9a-f-]{36})/.exec(page.url())?.[1]);
  expect(adas).not.toBe(graces);
  await ada.page.goto(`${own.url}/p/${graces}/traces`);
  await ada.page.getByRole("heading", { name: "Not here, or not yours" }).waitFor();
  expect([...ada.problems, ...grace.problems]).toEqual([]);
  await ada.close();
  await grace.close();
});

test("the page of an organization shows nothing of an invitation to another one", async () => {
  const grace = await openPage({ mayFail: (_, status) => status === 401 });
  await grace.page.goto(`${own.url}/account`);
  await grace.page.getByRole("button", { name: "Continue with Example Inc." }).click();
  await openOrganization(grace.page, "Grace's Workspace");
  await grace.page.getByLabel("E-mail address", { exact: true }).fill("ada@example.com");
  await grace.page.getByLabel("Role", { exact: true }).selectOption("admin");
  await grace.page.getByRole("button", { name: "Invite", exact: true }).click();
  const link = await grace.page.getByText("/accept-invite?token=").textContent();
  expect(grace.problems).toEqual([]);
  await grace.close();

  const { page, problems, close } = await openPage({ mayFail: (_, status) => status === 401 });
  await page.goto(`${own.url}/sign-in`);
  await signIn(page, "ada@example.com", "battery horse correct");
  await awaitProject(page);
  await page.goto(link ?? "");
  await page.getByRole("button", { name: /^Join/ }).click();
  await awaitProject(page);
  await page.goto(`${own.url}/account`);
  await openOrganization(page, "Ada's Workspace");
  const address = page.getByLabel("E-mail address", { exact: true });
  await address.fill("linus@example.com");
  await page.getByRole("button", { name: "Invite", exact: true }).click();
  await page.getByText("/accept-invite?token=").waitFor();
  await address.fill("ken@example.com");
  await openOrganization(page, "Grace's Workspace");
  await page.getByRole("button", { name: "Invite", exact: true }).waitFor();
  expect(await page.getByText("/accept-invite?token=").count()).toBe(0);
  expect(await address.inputValue()).toBe("");
  expect(problems).toEqual([]);
  await close();
});

test.each(listPages(entryPages))("%s is clean in both themes, wide and narrow", async (name, address) => {
  const opened = await openPage();
  const problems = await inspectPage(opened, name, own.url + address);
  expect([...opened.problems, ...problems]).toEqual([]);
  await opened.close();
});

test("the pages of an account and its organizations are clean in both themes, wide and narrow", async () => {
  const opened = await openPage();
  const { page, close } = opened;
  await page.goto(`${own.url}/sign-in`);
  await signIn(page, "ada@example.com", "battery horse correct");
  await awaitProject(page);
  await page.goto(`${own.url}/account`);
  await openOrganization(page, "Ada's Workspace");
  await page.getByLabel("E-mail address", { exact: true }).fill("barbara@example.com");
  await page.getByRole("button", { name: "Invite", exact: true }).click();
  const link = await page.getByText("/accept-invite?token=").textContent();
  const organizationId = String(new URL(page.url()).pathname.split("/")[2]);
  const invitationId = String(new URL(link ?? "").searchParams.get("token"));
  const problems: string[] = [];
  for (const [name, address] of listPages(accountPages({ organizationId, invitationId }))) {
    problems.push(...(await inspectPage(opened, name, own.url + address)));
  }
  expect([...opened.problems, ...problems]).toEqual([]);
  await close();
});
