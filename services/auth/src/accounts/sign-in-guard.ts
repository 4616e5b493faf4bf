import { type Answer, addressSubjectOf, type Logger } from "@touchstone/service-kit";
import { createKnownDevices, type KnownDevicesOptions } from "./known-devices.ts";
import { type CountedAttempt, createSignInAttempts, userAgain } from "./sign-in-attempts.ts";

/** A request of the sign-in family, as sent to the accounts library. */
export interface GuardedRequest {
  method: string;
  /** Without the query. */
  path: string;
  headers: Readonly<Record<string, string>>;
  body: string | null;
}

export interface GuardedAnswer extends Answer {
  /** The account whose password the request has reset; null if it has reset none. */
  resetAddress: string | null;
}

export interface SignInGuard {
  /**
   * Counts password attempts before `answer` checks them, and remembers devices on which a password was right or was
   * set. Throws `rate_limited`, without calling `answer`, while the client has to wait.
   */
  guard(request: GuardedRequest, answer: () => Promise<GuardedAnswer>): Promise<Answer>;
}

export interface SignInGuardOptions extends KnownDevicesOptions {
  /** The path of the sign-in family. */
  basePath: string;
  /** The user of the session among these cookies; null if there is none. */
  findUser: (cookies: string) => Promise<{ id: string; email: string } | null>;
  logger: Logger;
}

export function createSignInGuard(options: SignInGuardOptions): SignInGuard {
  const { basePath, logger } = options;
  const attempts = createSignInAttempts(options);
  const devices = createKnownDevices(options);

  /** The address of the account whose password the client has just proved to know; null if none. */
  function addressShown(path: string, body: unknown): string | null {
    const name = path.slice(basePath.length + 1);
    if (typeof body !== "string" || !["sign-in/email", "sign-up/email", "change-password"].includes(name)) return null;
    const { token, user } = JSON.parse(body) as { token?: unknown; user?: { email?: unknown } };
    // A sign-up without a session still has to verify its address.
    const isShown = typeof token === "string" || name === "change-password";
    return isShown && typeof user?.email === "string" ? user.email : null;
  }

  /** A successful sign-in must not fail because of this. */
  async function remember(address: string, device: string | null): Promise<string | null> {
    return devices.remember(address, device).catch((err) => {
      logger.warn({ err }, "a device could not be remembered");
      return null;
    });
  }

  /** A change of the password asks for the present one again; null for any other request. */
  async function countChange({ method, path, headers }: GuardedRequest): Promise<CountedAttempt | null> {
    if (method !== "POST" || path !== `${basePath}/change-password`) return null;
    const user = await options.findUser(headers.cookie ?? "");
    return user && attempts.count(user.email, userAgain(user.id));
  }

  return {
    async guard(request, ask) {
      const { path, headers } = request;
      const tried = path === `${basePath}/sign-in/email` ? addressIn(request) : null;
      const device = tried === null ? null : await devices.recognize(tried, headers.cookie);
      const client = addressSubjectOf(headers["x-forwarded-for"] ?? "", "unknown");
      const counted =
        tried === null
          ? await countChange(request)
          : await attempts.count(tried, device === null ? { client } : { device });
      const { resetAddress, ...answer } = await ask();
      if (answer.status !== 200) return answer;
      await counted?.wasRight();
      const shown = resetAddress ?? addressShown(path, answer.body);
      const cookie = shown === null ? null : await remember(shown, device);
      if (cookie === null) return answer;
      const { "set-cookie": others = [], ...rest } = answer.headers ?? {};
      return { ...answer, headers: { ...rest, "set-cookie": [...[others].flat(), cookie] } };
    },
  };
}

/** The address of the account whose password a request tries; null if it names none. */
function addressIn({ method, body }: GuardedRequest): string | null {
  if (method !== "POST") return null;
  const fields = JSON.parse(body ?? "{}") as { email?: unknown } | null;
  return typeof fields?.email === "string" ? fields.email : null;
}
