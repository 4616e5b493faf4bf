import type { ServerResponse } from "node:http";
import type { IdentityProvider } from "@touchstone/testkit/identity-provider";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import {
  type AccountAnswer,
  addressOf,
  cookiesOf,
  password,
  sessionCookieOf,
  type TestAccounts,
} from "./test-accounts.ts";
import type { TestGithub } from "./test-github.ts";
import { bePerson, type Query, startWithProviders } from "./test-providers.ts";
import { wrongTokens } from "./wrong-tokens.ts";

const publicUrl = "https://touchstone.example.com";
const callback = `${publicUrl}/api/v1/auth/callback`;

let provider: IdentityProvider;
let github: TestGithub;
let accounts: TestAccounts;
/** Its providers are unavailable: google refuses connections, oidc never answers. */
let stranded: TestAccounts;
let query: Query;
let stop: (() => Promise<void>) | undefined;

beforeAll(async () => {
  ({ provider, github, accounts, stranded, query, stop } = await startWithProviders(publicUrl));
});

afterAll(() => stop?.());

let people = 0;
beforeEach(() => {
  people += 1;
  bePerson(people, provider, github);
  github.posted.length = 0;
});
afterEach(() => {
  provider.tampering = null;
});

const routes = { google: "social", github: "social", oidc: "oauth2" } as const;
type Provider = keyof typeof routes;

function ask(id: Provider, more: object = {}, of = accounts): Promise<AccountAnswer> {
  const field = id === "oidc" ? "providerId" : "provider";
  return of.ask("POST", `/auth/sign-in/${routes[id]}`, { body: { [field]: id, callbackURL: "/welcome", ...more } });
}

async function begin(id: Provider, more: object = {}): Promise<{ url: URL; cookies: string }> {
  const answer = await ask(id, more);
  expect(answer.status, JSON.stringify(answer.body)).toBe(200);
  return { url: new URL(String(answer.body.url)), cookies: cookiesOf(answer) };
}

/** Comes back as a browser does: by a link of another site, which sends no Origin. */
function comeBack(id: string, query: string, cookies: string): Promise<AccountAnswer> {
  return accounts.ask("GET", `/auth/callback/${id}${query}`, { headers: { cookie: cookies, origin: undefined } });
}

/** Goes the whole way. */
async function signIn(id: Provider, more: object = {}): Promise<AccountAnswer> {
  const { url, cookies } = await begin(id, more);
  if (id === "github") return comeBack(id, `?code=a-code&state=${url.searchParams.get("state")}`, cookies);
  return comeBack(id, (await provider.browse(url.href)).search, cookies);
}

/** The error that a browser is sent back with; it must have got no session. */
function errorOf(answer: AccountAnswer): string | null {
  expect(answer.status).toBe(302);
  expect(sessionCookieOf(answer)).toBeUndefined();
  return new URL(answer.location ?? "", publicUrl).searchParams.get("error");
}

const usersCalled = (email: string) => query("select id from auth.users where email = $1", [email]);

test("the first account may come from a provider", { tags: ["spec:auth.config", "spec:sign-in.oidc"] }, async () => {
  expect((await accounts.ask("GET", "/auth/config")).body).toMatchObject({
    needsSetup: true,
    socialProviders: ["google", "github"],
    oidc: { name: "Example Inc." },
  });

  const answer = await signIn("oidc");

  expect([answer.status, answer.location]).toEqual([302, "/welcome"]);
  const session = await accounts.resolve(sessionCookieOf(answer) ?? "");
  expect(session?.memberships).toEqual([{ organizationId: expect.any(String), role: "owner" }]);
  expect(session?.projects).toHaveLength(1);
  const { body } = await accounts.ask("GET", "/auth/get-session", { cookie: sessionCookieOf(answer) });
  expect(body.user).toMatchObject({ name: "Person1", email: addressOf("Person1"), emailVerified: true });
  expect((await accounts.ask("GET", "/auth/config")).body).toMatchObject({ needsSetup: false });
});

test.each([
  ["google", "openid email profile"],
  ["github", "read:user user:email"],
  ["oidc", "openid email profile"],
] as const)(
  "a sign-in by %s asks for a code with PKCE and state, and comes back to the documented address",
  { tags: ["spec:sign-in.social"] },
  async (id, scope) => {
    const answer = await ask(id);

    expect(answer.body).toEqual({ redirect: true, url: expect.any(String) });
    const { searchParams } = new URL(String(answer.body.url));
    expect(Object.fromEntries(searchParams)).toEqual({
      response_type: "code",
      client_id: id,
      redirect_uri: `${callback}/${id}`,
      scope,
      state: expect.stringMatching(/^.{32,}$/),
      code_challenge: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge_method: "S256",
      ...(id !== "github" && { nonce: expect.stringMatching(/^.{32,}$/) }),
    });
    const [cookie = ""] = answer.cookies;
    expect(cookie).toMatch(/^__Secure-touchstone\.state=/);
    expect(cookie.split("; ")).toEqual(expect.arrayContaining(["HttpOnly", "Secure", "SameSite=Lax", "Path=/"]));
  },
);

test.each(["google", "github", "oidc"] as const)(
  "who signs in by %s again is the same, by subject and not by address",
  async (id) => {
    const first = await accounts.resolve(sessionCookieOf(await signIn(id)) ?? "");
    provider.person = { ...provider.person, claims: { ...provider.person.claims, email: addressOf(`moved-${id}`) } };
    github.answers["/user/emails"] = [{ email: addressOf(`moved-${id}`), primary: true, verified: true }];

    const again = await accounts.resolve(sessionCookieOf(await signIn(id)) ?? "");

    expect(first?.userId).toEqual(expect.any(String));
    expect(again?.userId).toBe(first?.userId);
    expect(await usersCalled(addressOf(`moved-${id}`))).toEqual([]);
    const stored = await query<Record<string, unknown>>(
      "select account_id, access_token, refresh_token, id_token from auth.accounts where user_id = $1",
      [first?.userId],
    );
    const subject = id === "github" ? String(1000 + people) : `${provider.issuer} person-${people}`;
    expect(stored).toEqual([{ account_id: subject, access_token: null, refresh_token: null, id_token: null }]);
  },
);

test("later accounts from a provider have, like those with a password, no organization unless sign-up is open", async () => {
  const session = await accounts.resolve(sessionCookieOf(await signIn("google")) ?? "");

  expect(session).toMatchObject({ memberships: [], projects: [] });
});

test.each([
  ["sign-in/social", { provider: "oidc" }],
  ["sign-in/social", { provider: "facebook" }],
  ["sign-in/oauth2", { providerId: "google" }],
  ["sign-in/oauth2", { providerId: "__proto__" }],
])("%s with %o is refused because there is no such provider", async (path, body) => {
  const answer = await accounts.ask("POST", `/auth/${path}`, { body });

  expect([answer.status, answer.body]).toEqual([404, { code: "PROVIDER_NOT_FOUND", message: expect.any(String) }]);
});

test("a sign-in that names no provider is refused with the missing field", async () => {
  const answer = await accounts.ask("POST", "/auth/sign-in/oauth2", { body: { provider: "oidc" } });

  expect(answer).toMatchObject({ status: 400, body: { code: "VALIDATION_ERROR" } });
  expect(answer.body.message).toMatch(/^\[body\.providerId\]/);
});

test("a token that a client sends does not sign in, and clients cannot choose scopes", async () => {
  const { url } = await begin("google", {
    idToken: { token: "a.b.c" },
    scopes: ["https://www.googleapis.com/auth/drive"],
    additionalParams: { hd: "evil.example" },
    newUserCallbackURL: "https://evil.example",
    disableRedirect: true,
  });

  expect(url.searchParams.get("scope")).toBe("openid email profile");
  expect(url.searchParams.has("hd")).toBe(false);
});

test("claims that the provider returns only on request count like those in the token", async () => {
  // The provider of these tests tells an address only when asked, as many do.
  let inToken: unknown;
  provider.tampering = async (claims, sign) => {
    inToken = claims.email;
    return sign(claims);
  };

  const answer = await signIn("oidc");

  expect(inToken).toBeUndefined();
  expect(answer.location).toBe("/welcome");
  expect(await usersCalled(addressOf(`Person${people}`))).toHaveLength(1);
});

test("a name, an address and a picture of any form are cut to the limits of an account", async () => {
  provider.person.claims.name = `${"\u0000\u0007"}Long ${"x".repeat(500)}\ud800`;
  provider.person.claims.picture = "javascript:alert(1)";

  const answer = await signIn("oidc");
  const { body } = await accounts.ask("GET", "/auth/get-session", { cookie: sessionCookieOf(answer) });

  expect(body.user).toMatchObject({ name: `Long ${"x".repeat(195)}`, image: null });
});

test.each(wrongTokens)("an id token %s does not sign in", async (_what, tampering) => {
  provider.tampering = tampering;

  expect(errorOf(await signIn("oidc"))).toBe("unable_to_get_user_info");
  expect(await usersCalled(addressOf(`Person${people}`))).toEqual([]);
});

test("claims about a user other than the token's subject are ignored", async () => {
  provider.tampering = (claims, sign) => sign({ ...claims, sub: "somebody else" });

  expect(errorOf(await signIn("oidc"))).toBe("email_not_found");
});

test("a state counts once, in the browser that began, at the provider it was made for", async () => {
  const { url, cookies } = await begin("oidc");
  const back = (await provider.browse(url.href)).search;
  const state = url.searchParams.get("state") ?? "";

  // Another browser: without the cookie, and with the cookie of another sign-in.
  expect(errorOf(await comeBack("oidc", back, ""))).toBe("state_mismatch");
  expect(errorOf(await comeBack("oidc", back, (await begin("oidc")).cookies))).toBe("state_mismatch");
  // A state that we never issued, a changed one, and none.
  expect(errorOf(await comeBack("oidc", back.replace(state, "x".repeat(32)), cookies))).toBe("state_mismatch");
  expect(errorOf(await comeBack("oidc", back.replace(state, `${state}x`), cookies))).toBe("state_mismatch");
  expect(errorOf(await comeBack("oidc", "?code=a", cookies))).toBe("state_not_found");
  // None of that used it up.
  expect((await comeBack("oidc", back, cookies)).location).toBe("/welcome");
  expect(errorOf(await comeBack("oidc", back, cookies))).toBe("state_mismatch");

  const atOidc = await begin("oidc");
  const code = (await provider.browse(atOidc.url.href)).search;
  expect(errorOf(await comeBack("github", code, atOidc.cookies))).toBe("invalid_code");
  expect(github.posted).toEqual([]);
  const atGithub = await begin("github");
  const { redeemed } = provider;
  const elsewhere = `?code=a&state=${atGithub.url.searchParams.get("state")}`;
  expect(errorOf(await comeBack("oidc", elsewhere, atGithub.cookies))).toMatch(
    /^(invalid_code|nonce_binding_missing)$/,
  );
  const atGoogle = await begin("google");
  const ofGoogle = (await provider.browse(atGoogle.url.href)).search;
  expect(errorOf(await comeBack("oidc", ofGoogle, atGoogle.cookies))).toBe("invalid_code");
  expect(provider.redeemed).toBe(redeemed);
  const unknown = await begin("oidc");
  const there = `?code=a&state=${unknown.url.searchParams.get("state")}`;
  expect(errorOf(await comeBack("facebook", there, unknown.cookies))).toBe("oauth_provider_not_found");
});

test("an answer of another issuer, or of none where the provider always names itself, is refused", async () => {
  for (const named of ["iss=https://evil.example", ""]) {
    const { url, cookies } = await begin("oidc");
    const [answer, issuer] = (await provider.browse(url.href)).search.split("&iss=");
    expect(decodeURIComponent(issuer ?? "")).toBe(provider.issuer);
    const refused = await comeBack("oidc", `${answer}&${named}`, cookies);
    expect(errorOf(refused)).toBe(named === "" ? "invalid_code" : "issuer_mismatch");
  }
});

test("a code counts only with the verifier of the browser that began", async () => {
  const mine = await begin("oidc");
  mine.url.searchParams.set("code_challenge", "a".repeat(43));
  const foreign = (await provider.browse(mine.url.href)).search;
  expect(errorOf(await comeBack("oidc", foreign, mine.cookies))).toBe("invalid_code");

  const without = await begin("oidc");
  without.url.searchParams.delete("code_challenge");
  without.url.searchParams.delete("code_challenge_method");
  const refused = (await provider.browse(without.url.href)).search;
  expect(errorOf(await comeBack("oidc", refused, without.cookies))).toBe("invalid_request");
});

test("a provider's refusal is shown on the requested page", async () => {
  const { url, cookies } = await begin("oidc", { callbackURL: "/there?page=2" });
  const state = url.searchParams.get("state");

  const answer = await comeBack("oidc", `?error=access_denied&error_description=no&state=${state}`, cookies);

  expect([answer.status, answer.location]).toEqual([302, "/there?page=2&error=access_denied&error_description=no"]);
});

test("an account with a password is joined only where both sides have verified the address", async () => {
  const name = `Person${people}`;
  const signUp = await accounts.signUp(name);
  const accountsOf = () =>
    query<{ provider_id: string }>(
      `select provider_id from auth.accounts a join auth.users u on u.id = a.user_id
       where u.email = $1 order by provider_id`,
      [addressOf(name)],
    );

  // The creator of the account may not own the address: its owner must not be signed in to the account.
  expect(errorOf(await signIn("oidc"))).toBe("account_not_linked");
  await query("update auth.users set email_verified = true where email = $1", [addressOf(name)]);
  // The provider did not verify it, says nothing about it, or says it in no way that counts.
  for (const verified of [false, undefined, "true", 1]) {
    provider.person.claims.email_verified = verified;
    expect(errorOf(await signIn("oidc")), String(verified)).toBe("account_not_linked");
  }
  github.answers["/user/emails"] = [{ email: addressOf(name), primary: true, verified: false }];
  expect(errorOf(await signIn("github"))).toBe("account_not_linked");
  expect(await accountsOf()).toEqual([{ provider_id: "credential" }]);

  provider.person.claims.email_verified = true;
  const joined = await accounts.resolve(sessionCookieOf(await signIn("oidc")) ?? "");
  expect(joined?.userId).toBe((await accounts.resolve(signUp))?.userId);
  expect(await accountsOf()).toEqual([{ provider_id: "credential" }, { provider_id: "oidc" }]);
  const again = await accounts.ask("POST", "/auth/sign-in/email", { body: { email: addressOf(name), password } });
  expect(again.status).toBe(200);
});

test.each([
  ["no address", undefined],
  ["an address that is none", "nonsense"],
  ["an address of another shape", ["a@example.com"]],
])("a user with %s gets no account", async (_what, email) => {
  provider.person.claims = { name: "Nobody", email, email_verified: true };
  github.answers["/user/emails"] = [{ email, primary: true, verified: true }];

  expect(errorOf(await signIn("oidc"))).toBe("email_not_found");
  expect(errorOf(await signIn("github"))).toBe("email_not_found");
});

test("GitHub receives the code, the verifier and the secret, and invalid answers sign no one in", async () => {
  expect((await signIn("github")).location).toBe("/welcome");
  expect(Object.fromEntries(github.posted[0] ?? [])).toEqual({
    client_id: "github",
    client_secret: "the secret of github",
    code: "a-code",
    redirect_uri: `${callback}/github`,
    code_verifier: expect.stringMatching(/^[\w.~-]{43,128}$/),
  });

  const good = github.answers;
  const elsewhere = (_request: unknown, response: ServerResponse) =>
    response.writeHead(302, { location: `${github.origin}/elsewhere` }).end();
  const endless = (_request: unknown, response: ServerResponse) =>
    response.writeHead(200).end(`{"id":1,"login":"${"x".repeat(300 * 1024)}"}`);
  for (const [error, answers] of [
    ["invalid_code", { "/login/oauth/access_token": { error: "bad_verification_code" } }],
    ["invalid_code", { "/login/oauth/access_token": elsewhere, "/elsewhere": { access_token: "stolen" } }],
    ["unable_to_get_user_info", { "/user": { login: "without a number" } }],
    ["unable_to_get_user_info", { "/user": endless }],
    ["unable_to_get_user_info", { "/user": elsewhere, "/elsewhere": { id: 1 } }],
    ["unable_to_get_user_info", { "/user/emails": undefined }],
  ] as const) {
    github.answers = { ...good, ...answers };
    expect(errorOf(await signIn("github")), JSON.stringify(answers)).toBe(error);
  }
});

test("a provider that is unavailable, or does not answer, is reported as such after a short wait", async () => {
  for (const id of ["google", "oidc"] as const) {
    const answer = await ask(id, {}, stranded);
    expect(answer.status, id).toBe(503);
  }

  // Unavailable between the two halves: the browser returns to the requested page.
  const { url, cookies } = await begin("oidc");
  const back = (await provider.browse(url.href)).search;
  const answer = await stranded.ask("GET", `/auth/callback/oidc${back}`, { headers: { cookie: cookies } });
  // Its issuer is another one: nothing of ours is sent there.
  expect(errorOf(answer)).toBe("issuer_mismatch");
  const without = new URLSearchParams(back);
  without.delete("iss");
  const next = await begin("oidc");
  without.set("state", next.url.searchParams.get("state") ?? "");
  const late = await stranded.ask("GET", `/auth/callback/oidc?${without}`, { headers: { cookie: next.cookies } });
  expect(errorOf(late)).toBe("invalid_code");
  expect(late.location).toMatch(/^\/welcome\?/);
});

test("no redirect leads to a foreign page", async () => {
  for (const callbackURL of ["https://evil.example", "//evil.example", "/..//evil.example"]) {
    const answer = await ask("github", { callbackURL });
    const said = [answer.status, answer.body.code, answer.body.url];
    expect(said, callbackURL).toEqual([403, "INVALID_CALLBACK_URL", undefined]);
  }
  for (const callbackURL of ["/", "/a?b=c#d", `${publicUrl}/a`, "https://dashboard.example.com/a"]) {
    expect((await signIn("github", { callbackURL })).location, callbackURL).toBe(callbackURL);
  }
  const { url, cookies } = await begin("github", { callbackURL: undefined });
  const home = await comeBack("github", `?code=a&state=${url.searchParams.get("state")}`, cookies);
  expect(home.location).toBe(publicUrl);
});

test("no code, token or secret of a provider is logged", () => {
  const logged = accounts.logged() + stranded.logged();

  expect(logged).toContain("a provider's token was refused");
  for (const canary of ["the secret of", "an access token", "eyJ", "a-code", "nonsense"]) {
    expect(logged, canary).not.toContain(canary);
  }
});
