import { AppError, createOutboundFetch, OutboundError } from "@touchstone/service-kit";

/** A provider's answer. */
export interface ProviderAnswer {
  status: number;
  /** Null if it is not JSON. */
  body: unknown;
}

/** HTTP access to one provider (decision 26): deadlines, bounded answers, no redirects, and only allowed addresses. */
export interface ProviderHttp {
  /**
   * True if an address named by the provider may be used: any https address, and http at the provider's own origin if
   * that is http itself.
   */
  allows(url: string): boolean;
  /** Sends a request and reads the answer as JSON. Throws an {@link OutboundError}. */
  ask(url: string, init?: RequestInit): Promise<ProviderAnswer>;
  /** For libraries that call fetch. */
  fetch(url: string, init?: RequestInit): Promise<Response>;
  close(): Promise<void>;
}

/** Enough for the keys of a large provider, with their certificates. */
const answerMaxBytes = 256 * 1024;

/** Creates the access to a provider at an address that the operator configured, which may be in the private network. */
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
  // The operator allowed one private host, not other hosts that it names.
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

/** The error for a browser whose provider does not answer. */
export function providerUnavailable(cause: unknown): AppError {
  return new AppError("service_unavailable", "The sign-in provider cannot be reached; retry.", { cause });
}
