import type { Secret } from "@touchstone/contracts";
import {
  ConfigError,
  deriveKey,
  type Environment,
  readStoreServiceConfig,
  type StoreServiceConfig,
} from "@touchstone/service-kit";

/** Settings of accounts (interface: Modes). */
export interface AccountsConfig {
  /** Signs cookies and tokens. */
  secret: string;
  publicUrl: string | null;
  /** Further origins whose pages may sign in and be redirect targets. */
  trustedOrigins: readonly string[];
  /** An organization for each account. */
  multiTenant: boolean;
  /** New users join the installation's organization. */
  openSignup: boolean;
  /** Only with a mailer. */
  requiresVerification: boolean;
  /** Null: no mail is sent. */
  mail: MailConfig | null;
  providers: ProvidersConfig;
}

/** Identity providers; null if a provider is not configured. */
export interface ProvidersConfig {
  google: OidcClient | null;
  github: GithubClient | null;
  /** With its name on sign-in pages. */
  oidc: (OidcClient & { name: string }) | null;
  /** Time limit of one request to a provider. */
  requestTimeoutMs: number;
}

/** This installation's registration at a provider. */
export interface ProviderClient {
  clientId: string;
  clientSecret: Secret;
}

export interface OidcClient extends ProviderClient {
  /** Further data is read from the issuer's published configuration. */
  issuer: string;
}

export interface GithubClient extends ProviderClient {
  /** Origins of its pages and of its API. */
  site: string;
  api: string;
}

/** How mail is sent, and its sender. */
export type MailConfig = { from: string } & (
  | { kind: "files"; folder: string }
  | { kind: "smtp"; url: Secret }
  | { kind: "hosted"; apiKey: Secret }
);

export interface AuthConfig extends StoreServiceConfig {
  /** Null in default mode. */
  accounts: AccountsConfig | null;
  /** True if endpoints of custom models may be in the installation's private network (completions 1.7). */
  allowsPrivateHosts: boolean;
}

/** Settings without effect in an installation without accounts. */
const settingsOfAccounts = [
  "SERVICE_OPEN_SIGNUP",
  "SERVICE_GOOGLE_CLIENT_ID",
  "SERVICE_GOOGLE_CLIENT_SECRET",
  "SERVICE_GITHUB_CLIENT_ID",
  "SERVICE_GITHUB_CLIENT_SECRET",
  "SERVICE_OIDC_ISSUER",
  "SERVICE_OIDC_CLIENT_ID",
  "SERVICE_OIDC_CLIENT_SECRET",
  "SERVICE_OIDC_NAME",
  "SERVICE_EMAIL_DEBUG_DIR",
  "SERVICE_EMAIL_FROM",
  "SERVICE_REQUIRE_EMAIL_VERIFICATION",
  "SERVICE_RESEND_API_KEY",
  "SERVICE_SMTP_URL",
] as const;

/** Reads auth's settings; reports every mistake at once, by variable name. */
export function readAuthConfig(environment: Environment): { config: AuthConfig; warnings: string[] } {
  const { config, values, warnings } = readStoreServiceConfig(environment, {
    database: "SERVICE_AUTH_DB_URL",
    more: [
      "SERVICE_AUTH",
      "SERVICE_AUTH_SECRET",
      "SERVICE_MULTI_TENANT",
      "SERVICE_ALLOW_PRIVATE_WEBHOOKS",
      "SERVICE_PUBLIC_URL",
      "SERVICE_TRUSTED_ORIGINS",
      ...settingsOfAccounts,
    ],
  });
  const mail = readMail(values);
  const allowsPrivateHosts = values.SERVICE_ALLOW_PRIVATE_WEBHOOKS ?? !values.SERVICE_MULTI_TENANT;
  if (values.SERVICE_AUTH === "disabled" && values.SERVICE_MULTI_TENANT) {
    throw new ConfigError(["SERVICE_MULTI_TENANT: needs SERVICE_AUTH=enabled"]);
  }
  if (values.SERVICE_AUTH === "disabled") {
    const idle = settingsOfAccounts.filter((name) => isGiven(values[name]));
    const warning = `${idle.join(", ")}: without SERVICE_AUTH=enabled there are no accounts, and this counts nothing`;
    return {
      config: { ...config, accounts: null, allowsPrivateHosts },
      warnings: idle.length === 0 ? warnings : [...warnings, warning],
    };
  }
  const mistakes: string[] = [];
  if (values.SERVICE_REQUIRE_EMAIL_VERIFICATION && mail === null) {
    mistakes.push("SERVICE_REQUIRE_EMAIL_VERIFICATION: needs SERVICE_SMTP_URL or SERVICE_RESEND_API_KEY");
  }
  if ((values.SERVICE_SMTP_URL || values.SERVICE_RESEND_API_KEY) && values.SERVICE_EMAIL_FROM === undefined) {
    mistakes.push("SERVICE_EMAIL_FROM: is needed to send mail");
  }
  if (mail !== null && values.SERVICE_PUBLIC_URL === undefined) {
    mistakes.push("SERVICE_PUBLIC_URL: is needed to send mail, for the links in it");
  }
  const providers = readProviders(values, mistakes);
  const isOffered = providers.google !== null || providers.github !== null || providers.oidc !== null;
  if (isOffered && values.SERVICE_PUBLIC_URL === undefined) {
    mistakes.push("SERVICE_PUBLIC_URL: is needed to sign in by a provider, which sends browsers back to it");
  }
  if (providers.oidc?.issuer.startsWith("http:")) {
    warnings.push("SERVICE_OIDC_ISSUER: is reached over http; anyone on the network path can sign in as any user");
  }
  if (values.SERVICE_TRUSTED_ORIGINS.some((origin) => /[*?]/.test(origin))) {
    mistakes.push("SERVICE_TRUSTED_ORIGINS: has no wildcards; name each origin");
  }
  if (mistakes.length > 0) throw new ConfigError(mistakes);
  return {
    config: {
      ...config,
      allowsPrivateHosts,
      accounts: {
        secret:
          values.SERVICE_AUTH_SECRET?.reveal() ??
          deriveKey(config.rootSecret, "account-sessions").toString("base64url"),
        publicUrl: values.SERVICE_PUBLIC_URL ?? null,
        trustedOrigins: values.SERVICE_TRUSTED_ORIGINS,
        multiTenant: values.SERVICE_MULTI_TENANT,
        openSignup: values.SERVICE_OPEN_SIGNUP,
        requiresVerification: values.SERVICE_REQUIRE_EMAIL_VERIFICATION,
        mail,
        providers,
      },
    },
    warnings,
  };
}

/** True if the setting is given: a switch that is off counts as absent. */
function isGiven(value: unknown): boolean {
  return value !== undefined && value !== false;
}

/** Adds a mistake for each missing setting of a provider that is partly configured. */
function readProviders(
  values: {
    SERVICE_GOOGLE_CLIENT_ID: string | undefined;
    SERVICE_GOOGLE_CLIENT_SECRET: Secret | undefined;
    SERVICE_GITHUB_CLIENT_ID: string | undefined;
    SERVICE_GITHUB_CLIENT_SECRET: Secret | undefined;
    SERVICE_OIDC_ISSUER: string | undefined;
    SERVICE_OIDC_CLIENT_ID: string | undefined;
    SERVICE_OIDC_CLIENT_SECRET: Secret | undefined;
    SERVICE_OIDC_NAME: string | undefined;
  },
  mistakes: string[],
): ProvidersConfig {
  type Name = keyof typeof values;
  const readClient = (id: Name, secret: Name, more: readonly Name[] = []): ProviderClient | null => {
    const needed = [...more, id, secret].filter((name) => name !== "SERVICE_OIDC_NAME");
    const given = [...more, id, secret].filter((name) => values[name] !== undefined);
    if (given.length === 0) return null;
    for (const name of needed) {
      if (values[name] === undefined) mistakes.push(`${name}: is needed beside ${given.join(" and ")}`);
    }
    return { clientId: values[id] as string, clientSecret: values[secret] as Secret };
  };
  const google = readClient("SERVICE_GOOGLE_CLIENT_ID", "SERVICE_GOOGLE_CLIENT_SECRET");
  const github = readClient("SERVICE_GITHUB_CLIENT_ID", "SERVICE_GITHUB_CLIENT_SECRET");
  const oidc = readClient("SERVICE_OIDC_CLIENT_ID", "SERVICE_OIDC_CLIENT_SECRET", [
    "SERVICE_OIDC_ISSUER",
    "SERVICE_OIDC_NAME",
  ]);
  const { SERVICE_OIDC_ISSUER: issuer = "", SERVICE_OIDC_NAME: name = "SSO" } = values;
  return {
    google: google && { ...google, issuer: "https://accounts.google.com" },
    github: github && { ...github, site: "https://github.com", api: "https://api.github.com" },
    oidc: oidc && { ...oidc, issuer, name },
    requestTimeoutMs: 5_000,
  };
}

/** Files have priority, so that a trial sends nothing; then SMTP. */
function readMail(values: {
  SERVICE_EMAIL_DEBUG_DIR: string | undefined;
  SERVICE_EMAIL_FROM: string | undefined;
  SERVICE_SMTP_URL: Secret | undefined;
  SERVICE_RESEND_API_KEY: Secret | undefined;
}): MailConfig | null {
  const from = values.SERVICE_EMAIL_FROM ?? "touchstone@localhost";
  const { SERVICE_EMAIL_DEBUG_DIR: folder, SERVICE_SMTP_URL: url, SERVICE_RESEND_API_KEY: apiKey } = values;
  if (folder !== undefined) return { kind: "files", folder, from };
  if (url !== undefined) return { kind: "smtp", url, from };
  if (apiKey !== undefined) return { kind: "hosted", apiKey, from };
  return null;
}
