import { ConfigError } from "@touchstone/service-kit";
import { expect, test } from "vitest";
import { readAuthConfig } from "../src/index.ts";

const needed = {
  SERVICE_DB_URL: "postgres://127.0.0.1/touchstone",
  SERVICE_NATS_URL: "nats://127.0.0.1:4222",
  SERVICE_INTERNAL_SECRET: "a root secret of the installation, long enough",
  SERVICE_AUTH: "enabled",
};
const publicUrl = { SERVICE_PUBLIC_URL: "https://touchstone.example.com" };
const oidc = {
  SERVICE_OIDC_ISSUER: "https://sign-in.example.com",
  SERVICE_OIDC_CLIENT_ID: "touchstone",
  SERVICE_OIDC_CLIENT_SECRET: "a secret",
};

const read = (settings: Record<string, string>) => readAuthConfig({ ...needed, ...settings });

function mistakesOf(settings: Record<string, string>): string {
  try {
    read(settings);
  } catch (error) {
    if (error instanceof ConfigError) return error.message;
    throw error;
  }
  return "none";
}

test.each([
  ["SERVICE_GOOGLE_CLIENT_ID", "SERVICE_GOOGLE_CLIENT_SECRET"],
  ["SERVICE_GITHUB_CLIENT_ID", "SERVICE_GITHUB_CLIENT_SECRET"],
])("of the settings %s and %s one alone is a mistake that names the other", (id, secret) => {
  expect(mistakesOf({ ...publicUrl, [id]: "x" })).toContain(`${secret}: is needed`);
  expect(mistakesOf({ ...publicUrl, [secret]: "x" })).toContain(`${id}: is needed`);
  expect(mistakesOf({ ...publicUrl, [id]: "x", [secret]: "y" })).toBe("none");
});

test.each(Object.keys(oidc))("an OpenID Connect provider without %s is a mistake that names it", (missing) => {
  const { [missing as keyof typeof oidc]: _left, ...rest } = oidc;

  expect(mistakesOf({ ...publicUrl, ...rest })).toContain(`${missing}: is needed`);
});

test("a name alone is no provider, and a provider without a name is called SSO", () => {
  expect(mistakesOf({ ...publicUrl, SERVICE_OIDC_NAME: "Example Inc." })).toContain("SERVICE_OIDC_ISSUER: is needed");
  expect(read({ ...publicUrl, ...oidc }).config.accounts?.providers.oidc?.name).toBe("SSO");
});

test("providers need the public URL, to send browsers back to", () => {
  expect(mistakesOf(oidc)).toContain("SERVICE_PUBLIC_URL: is needed");
});

test.each(["ftp://sign-in.example.com", "https://sign-in.example.com?x=1", "https://a:b@sign-in.example.com", "x"])(
  "%s is no issuer",
  (issuer) => {
    expect(mistakesOf({ ...publicUrl, ...oidc, SERVICE_OIDC_ISSUER: issuer })).toContain("SERVICE_OIDC_ISSUER");
  },
);

test("an issuer over http causes a warning", () => {
  const { warnings } = read({ ...publicUrl, ...oidc, SERVICE_OIDC_ISSUER: "http://keycloak:8080/realms/x" });

  expect(warnings.join()).toContain("SERVICE_OIDC_ISSUER");
  expect(read({ ...publicUrl, ...oidc }).warnings).toEqual([]);
});

test("without settings there is no provider, and Google and GitHub have their public addresses", () => {
  const providersOf = (settings: Record<string, string>) => read(settings).config.accounts?.providers;

  expect(providersOf({})).toMatchObject({ google: null, github: null, oidc: null });
  expect(
    providersOf({
      ...publicUrl,
      SERVICE_GOOGLE_CLIENT_ID: "x",
      SERVICE_GOOGLE_CLIENT_SECRET: "y",
      SERVICE_GITHUB_CLIENT_ID: "x",
      SERVICE_GITHUB_CLIENT_SECRET: "y",
    }),
  ).toMatchObject({
    google: { issuer: "https://accounts.google.com" },
    github: { site: "https://github.com", api: "https://api.github.com" },
  });
});

test("trusted origins have no wildcards", () => {
  expect(mistakesOf({ SERVICE_TRUSTED_ORIGINS: "https://*.example.com" })).toContain("SERVICE_TRUSTED_ORIGINS");
});

test("without accounts these settings have no effect, and a warning lists those that were set", () => {
  const { config, warnings } = read({
    SERVICE_AUTH: "disabled",
    SERVICE_GOOGLE_CLIENT_ID: "x",
    SERVICE_OIDC_CLIENT_SECRET: "a secret of nobody's business",
    SERVICE_SMTP_URL: "smtp://mail.example.com",
    SERVICE_REQUIRE_EMAIL_VERIFICATION: "true",
    SERVICE_OPEN_SIGNUP: "false",
  });

  expect(config.accounts).toBeNull();
  expect(warnings).toEqual([
    "SERVICE_GOOGLE_CLIENT_ID, SERVICE_OIDC_CLIENT_SECRET, SERVICE_REQUIRE_EMAIL_VERIFICATION, SERVICE_SMTP_URL: without SERVICE_AUTH=enabled there are no accounts, and this counts nothing",
  ]);
  expect(read({ SERVICE_AUTH: "disabled" }).warnings).toEqual([]);
});
