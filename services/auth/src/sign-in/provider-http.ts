import { AppError, createOutboundFetch, OutboundError } from "@touchstone/service-kit";

/** What a provider answered. */
export interface ProviderAnswer {
  status: number;
  /** Null when it is no JSON. */
  body: unknown;
}

/** The way to one provider (decision 26): deadlines, a bound on answers, no redirects, and only to where it may lead. */
export interface ProviderHttp {
  /**
   * Whether an address that the provider names may be used: https anywhere, and http at the provider's own origin where
   * that is http itself.
   */
  allows(url: string): boolean;
  /** Asks and reads the answer as JSON. Throws an {@link OutboundError}. */
  ask(url: string, init?: RequestInit): Promise<ProviderAnswer>;
  /** For libraries that fetch by themselves. */
  fetch(url: string, init?: RequestInit): Promise<Response>;
  close(): Promise<void>;
}

/** Keys of a large provider, with their certificates. */
const answerMaxBytes = 256 * 1024;

/** Makes the way to the provider at an address that the operator configured, and which may lie in their own network. */
export function createProviderHttp({
  home,
  requestTimeoutMs,
}: {
  home: string;
  requestTimeoutMs: number;
}): ProviderHttp {
  const { protocol, origin, hostname } = new URL(home);
  const bounds = { totalMs: requestTimeoutMs, idleMs: requestTimeoutMs, answerMaxBytes };
  const toHome = createOutboundFetch({ ...bounds, allowsPrivateHosts: true });
  // The operator chose one host inside, not what that host names besides.
  const elsewhere = createOutboundFetch({ ...bounds, allowsPrivateHosts: false });

  function allows(url: string): boolean {
    const target = URL.parse(url);
    if (target === null) return false;
    return target.protocol === "https:" || (protocol === "http:" && target.origin === origin);
  }

  async function fetch(url: string, init?: RequestInit): Promise<Response> {
    if (!allows(url)) throw new OutboundError("url_refused", "The provider names an address that is not https.");
    return new URL(url).hostname === hostname ? toHome(url, init) : elsewhere(url, init);
  }

  return {
    allows,
    fetch,
    async ask(url, init) {
      const answer = await fetch(url, init);
      const text = await answer.text();
      try {
        return { status: answer.status, body: JSON.parse(text) };
      } catch {
        return { status: answer.status, body: null };
      }
    },
    async close() {
      await Promise.all([toHome.close(), elsewhere.close()]);
    },
  };
}

/** What a browser hears that wants to go to a provider which does not answer. */
export function providerUnavailable(cause: unknown): AppError {
  return new AppError("service_unavailable", "The sign-in provider cannot be reached; retry.", { cause });
}
