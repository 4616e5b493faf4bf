import { AsyncLocalStorage } from "node:async_hooks";
import type { Database } from "@touchstone/db";
import { type Answer, AppError, type Clock, isAppError, type Logger } from "@touchstone/service-kit";
import { betterAuth } from "better-auth/minimal";
import type { ProvidersConfig } from "../config.ts";
import type { Mailer } from "../mail/mailer.ts";
import { translateBeginning } from "../sign-in/begin-sign-in.ts";
import { createSignInProviders } from "../sign-in/sign-in-providers.ts";
import { buildLibrarySettings } from "./library-settings.ts";
import type { MembershipStore } from "./membership-store.ts";
import { refuseForeignReturn } from "./return-address.ts";
import { createSignInGuard, type GuardedAnswer } from "./sign-in-guard.ts";
import { translateSignUp } from "./sign-up-name.ts";

/** A request of the sign-in family, as forwarded by the gateway. */
export interface AccountRequest {
  method: string;
  /** Including the query. */
  path: string;
  /** The origin by which the client reached the installation: links in mails begin with it. */
  origin: string;
  headers: Readonly<Record<string, string>>;
  /** JSON text; null without a body. */
  body: string | null;
  requestId: string;
}

export interface Accounts {
  /** Answers a request of the sign-in family. Throws 503 if the database is unavailable. */
  answer(request: AccountRequest): Promise<Answer>;
  /** The user of a session cookie; null if it is unknown or expired. */
  findUser(cookie: string): Promise<string | null>;
  stop(): Promise<void>;
}

export interface AccountsOptions {
  database: Database;
  members: MembershipStore;
  /** Null: no mail is sent. */
  mailer: Mailer | null;
  secret: string;
  publicUrl: string | null;
  trustedOrigins: readonly string[];
  requiresVerification: boolean;
  providers: ProvidersConfig;
  /** Publishes the committed event at once instead of a moment later. */
  announceRevocations: () => void;
  clock: Clock;
  logger: Logger;
}

/** The path of the family; the library sees no other path. */
const basePath = "/api/v1/auth";

/**
 * Accounts by better-auth (decision 23): passwords, sessions and their cookie, verification and reset, and the state of
 * a sign-in by a provider. The table of routes decides which of its paths are open; none of its plugins is used.
 */
export function createAccounts(options: AccountsOptions): Accounts {
  const { clock, members, logger, publicUrl } = options;
  // The library turns errors into 500s and 422s; the original error is kept here.
  const failures = new AsyncLocalStorage<Pick<Told, "unavailable">>();
  const noteUnavailable = (error: Error): void => {
    const kept = failures.getStore();
    if (kept !== undefined) kept.unavailable ??= error;
  };
  const isSecure = publicUrl?.startsWith("https:") ?? false;
  const asking = new AsyncLocalStorage<Pick<AccountRequest, "origin" | "requestId" | "path"> & { told: Told }>();
  const providers = createSignInProviders(options.providers, {
    publicUrl,
    requiresVerification: options.requiresVerification,
    onUnavailable: noteUnavailable,
    issuerOfResponse: () => new URLSearchParams(asking.getStore()?.path.split("?")[1]).get("iss") || null,
    clock,
    logger,
  });
  const guard = createSignInGuard({ ...options, isSecure, basePath, findUser });
  const offered = providers.map(({ library }) => library.id);
  const home = publicUrl ?? "/";
  const trustedBeside = (origin?: string): string[] => [...options.trustedOrigins, ...(origin ? [origin] : [])];
  const library = betterAuth(
    buildLibrarySettings({
      ...options,
      basePath,
      home,
      isSecure,
      providers,
      // Without a public URL the origin is the one that the client used.
      trustedOrigins: () => trustedBeside(asking.getStore()?.origin),
      placeUser: (transaction, user) => members.placeUser(transaction, user, requireRequestId(asking.getStore())),
      onUnavailable: noteUnavailable,
      onPasswordReset: (address) => {
        const told = asking.getStore()?.told;
        if (told !== undefined) told.resetAddress = address;
      },
    }),
  );

  /** The user of the session among these cookies; null if there is none. */
  async function findUser(cookie: string): Promise<{ id: string; email: string } | null> {
    const kept: { unavailable: Error | null } = { unavailable: null };
    try {
      const asked = { headers: new Headers({ cookie }), query: { disableRefresh: true } };
      const found = await failures.run(kept, () => library.api.getSession(asked));
      return found?.user ?? null;
    } catch (thrown) {
      if (kept.unavailable !== null) throw kept.unavailable;
      if (isAppError(thrown)) throw thrown;
      throw new AppError("service_unavailable", "Sessions cannot be checked at the moment; retry.", { cause: thrown });
    }
  }

  return {
    async answer({ method, origin, headers, requestId, ...asked }) {
      const refusal = refuseForeignReturn(asked, trustedBeside(origin));
      if (refusal !== null) return refusal;
      const translated =
        translateBeginning({ method, ...asked }, { offered, home }) ?? translateSignUp({ method, ...asked });
      if (translated !== null && "status" in translated) return translated;
      const { path, body } = translated ?? endOtherSessions(asked);
      return guard.guard({ method, path: pathOf(path), headers, body }, async () => {
        const request = new Request(new URL(path, origin), {
          method,
          headers: { ...headers, ...(body !== null && { "content-type": "application/json" }) },
          body,
        });
        const told: Told = { unavailable: null, resetAddress: null };
        const response = await failures
          .run(told, () => asking.run({ origin, requestId, path, told }, () => library.handler(request)))
          .catch((thrown) => {
            throw told.unavailable ?? thrown;
          });
        // The library answers a sign-out with 200 even if the session could not be deleted. Redirects name the error.
        const isRedirect = response.status >= 300 && response.status < 400;
        if (told.unavailable !== null && !isRedirect) throw told.unavailable;
        return toAnswer(response, told);
      });
    },

    findUser: async (cookie) => (await findUser(`${sessionCookieName(isSecure)}=${cookie}`))?.id ?? null,

    async stop() {
      await Promise.all(providers.map((provider) => provider.close()));
    },
  };
}

/** Only requests create accounts. */
function requireRequestId(asked: Pick<AccountRequest, "requestId"> | undefined): string {
  if (asked === undefined) throw new Error("an account of no request");
  return asked.requestId;
}

/** The name of the session's cookie (completions 0.1). */
function sessionCookieName(isSecure: boolean): string {
  return `${isSecure ? "__Secure-" : ""}touchstone.session_token`;
}

/** What the library reports besides its answer. */
interface Told {
  /** The reason why it could not answer. */
  unavailable: Error | null;
  /** The account whose password was reset. */
  resetAddress: string | null;
}

/** Without the query. */
function pathOf(path: string): string {
  return path.split("?", 1)[0] as string;
}

async function toAnswer(response: Response, { resetAddress }: Told): Promise<GuardedAnswer> {
  const cookies = response.headers.getSetCookie();
  const location = response.headers.get("location");
  const text = await response.text();
  return {
    resetAddress,
    status: response.status,
    headers: {
      // Browsers and proxies must not store tokens and sessions.
      "cache-control": "no-store",
      ...(cookies.length > 0 && { "set-cookie": cookies }),
      ...(location !== null && { location }),
    },
    ...(text !== "" && { body: text }),
  };
}

/**
 * A password change as the library expects it; any other request as it is. Other sessions end unless the client says
 * otherwise, since the password may have been changed because someone else knows it.
 */
function endOtherSessions({
  path,
  body,
}: Pick<AccountRequest, "path" | "body">): Pick<AccountRequest, "path" | "body"> {
  if (pathOf(path) !== `${basePath}/change-password`) return { path, body };
  const fields: unknown = JSON.parse(body ?? "{}");
  return { path, body: JSON.stringify(typeof fields === "object" ? { revokeOtherSessions: true, ...fields } : fields) };
}
