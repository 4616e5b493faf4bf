import { type Clock, type Logger, uuidv7 } from "@touchstone/service-kit";
import { isAPIError } from "better-auth/api";
import type { BetterAuthOptions } from "better-auth/minimal";
import { passwordResetLetter, verificationLetter } from "../mail/letters.ts";
import type { Mailer } from "../mail/mailer.ts";
import type { SignInProvider } from "../sign-in/sign-in-provider.ts";
import { createLibraryAdapter, type LibraryAdapterOptions } from "./library-adapter.ts";
import { proveAddress } from "./own-account-store.ts";
import { createPasswordHashing } from "./password-hashing.ts";

export interface LibrarySettingsOptions extends LibraryAdapterOptions {
  /** Null: no mail is sent. */
  mailer: Mailer | null;
  secret: string;
  publicUrl: string | null;
  requiresVerification: boolean;
  clock: Clock;
  logger: Logger;
  /** The path of the sign-in family. */
  basePath: string;
  /** The destination of a browser whose sign-in cannot be identified any more. */
  home: string;
  /** Cookies are sent over https only. */
  isSecure: boolean;
  providers: readonly SignInProvider[];
  /** The origins that the current request may come from and return to. Called on each request. */
  trustedOrigins: () => string[];
  /** Called with the account's address after its password was reset. */
  onPasswordReset: (address: string) => void;
}

const daySeconds = 24 * 60 * 60;

/** How the accounts library is set up (decision 23). */
export function buildLibrarySettings(options: LibrarySettingsOptions) {
  const { clock, mailer, logger, publicUrl, basePath, home, isSecure, providers } = options;
  return {
    appName: "Touchstone",
    basePath,
    ...(publicUrl !== null && { baseURL: new URL(publicUrl).origin }),
    secret: options.secret,
    trustedOrigins: async () => options.trustedOrigins(),
    database: createLibraryAdapter(options),
    emailAndPassword: {
      enabled: true,
      minPasswordLength: 8,
      maxPasswordLength: 128,
      requireEmailVerification: options.requiresVerification,
      revokeSessionsOnPasswordReset: true,
      onPasswordReset: async ({ user }) => {
        await proveAddress(options.database, user.id);
        options.onPasswordReset(user.email);
      },
      password: createPasswordHashing(options.onUnavailable),
      ...(mailer !== null && {
        sendResetPassword: async ({ user, url }) => mailer.post(passwordResetLetter(user.email, url)),
      }),
    },
    emailVerification: {
      ...(mailer !== null && {
        sendVerificationEmail: async ({ user, url }) => mailer.post(verificationLetter(user.email, url)),
      }),
    },
    session: {
      expiresIn: 7 * daySeconds,
      updateAge: daySeconds,
      additionalFields: { activeOrganizationId: { type: "string", required: false, input: false } },
    },
    verification: { storeIdentifier: "hashed" },
    account: {
      // Explicit, because security depends on it: a provider's account is linked only if both sides have verified the
      // address, and a sign-in counts only in the browser that began it.
      accountLinking: { enabled: true, trustedProviders: [], requireLocalEmailVerified: true },
      skipStateCookieCheck: false,
    },
    // The library's only way to add custom providers.
    plugins: [
      {
        id: "touchstone-providers",
        init: () => ({ context: { socialProviders: providers.map(({ library }) => library) } }),
      },
    ],
    onAPIError: {
      errorURL: home,
      // Errors outside the library's answers are answered and logged like all others, instead of printed.
      onError: (thrown) => {
        if (!isAPIError(thrown)) throw thrown;
      },
    },
    advanced: {
      cookiePrefix: "touchstone",
      // Explicit, because the library disables both if NODE_ENV is "test".
      disableOriginCheck: false,
      disableCSRFCheck: false,
      useSecureCookies: isSecure,
      database: { generateId: () => uuidv7(clock.now()) },
      ipAddress: { ipAddressHeaders: ["x-forwarded-for"] },
    },
    // The gateway limits rates.
    rateLimit: { enabled: false },
    telemetry: { enabled: false },
    logger: tellOurLog(logger),
  } satisfies BetterAuthOptions;
}

/** Forwards the library's log messages. Its texts may contain addresses; the error's code and stack do not. */
function tellOurLog(logger: Logger): BetterAuthOptions["logger"] {
  return {
    level: "error",
    log: (_level, _message, ...facts) =>
      logger.error({ err: facts.find((fact) => fact instanceof Error) }, "the accounts library met an error"),
  };
}
