import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import { AppError } from "@touchstone/service-kit";

export interface CallerOriginOptions {
  publicUrl: string | null;
  allowedHosts: readonly string[];
  trustedOrigins: readonly string[];
}

/** How a request came. */
export interface Arrival {
  /** The scheme that a trusted proxy states, else that of the connection. */
  protocol: string;
  mightUseSession: boolean;
}

export interface CallerOrigin {
  /**
   * Refuses (403) a host name this installation does not go by, and a browser page of another origin. Answers the
   * origin when it is a foreign one that is trusted: its answers need CORS headers; null for everyone else. A foreign
   * page that might use a session hears it in the words of the sign-in family.
   */
  check(request: IncomingMessage, arrival: Arrival): string | null;
}

/**
 * Refuses (403) a request that a page of another site makes its browser send, where the answer holds the default key.
 * A browser that loads an address as an image or a script names no origin, but it says how near the page is.
 */
export function refuseOtherSites({ "sec-fetch-site": site }: IncomingHttpHeaders): void {
  if (site === undefined || site === "same-origin" || site === "none") return;
  throw new AppError("host_refused", "Only pages of this installation may ask for its key.");
}

const loopbackNames = ["localhost", "127.0.0.1", "[::1]"];

/**
 * Default mode hands the key to whoever asks, so the attack to stop is a web page: one that rebinds its own host name to
 * this machine, or simply posts from its own origin (completions 0.3). A page cannot choose the Host and Origin its
 * browser sends.
 */
export function createCallerOrigin(options: CallerOriginOptions): CallerOrigin {
  const publicUrl = options.publicUrl === null ? null : new URL(options.publicUrl);
  const hosts = new Set([
    ...loopbackNames,
    ...options.allowedHosts.map(nameOf),
    ...(publicUrl ? [publicUrl.hostname] : []),
  ]);
  const origins = new Set(options.trustedOrigins);

  /** A page under http whose host is reached by https: anyone on its network may have written it. */
  function isDowngraded(origin: string, protocol: string): boolean {
    const { protocol: ofPage, host } = new URL(origin);
    const isReachedByHttps = protocol === "https" || (publicUrl?.protocol === "https:" && publicUrl.host === host);
    return ofPage !== "https:" && isReachedByHttps;
  }

  return {
    check({ headers, headersDistinct, socket }, { protocol, mightUseSession }) {
      const host = headers.host ?? "";
      // Of several, this code and a proxy before it might each take another one.
      if ((headersDistinct.host ?? []).length > 1) throw new AppError("host_refused", "A request names one host.");
      if (!hosts.has(nameOf(host)) && !isOwnAddress(host, socket.localAddress)) {
        throw new AppError(
          "host_refused",
          `This installation does not answer to the host ${quote(host)}; add it to SERVICE_ALLOWED_HOSTS.`,
        );
      }
      const { origin } = headers;
      if (origin === undefined || origin === publicUrl?.origin) return null;
      if (isSameOrigin(origin, host) && !isDowngraded(origin, protocol)) return null;
      if (origins.has(origin)) return origin;
      if (mightUseSession) throw new AppError("invalid_origin", "Invalid origin");
      throw new AppError(
        "host_refused",
        `Pages of the origin ${quote(origin)} may not call this installation; add it to SERVICE_TRUSTED_ORIGINS.`,
      );
    },
  };
}

/** The name of a Host header, without its port: lower case, IPv6 in brackets. */
function nameOf(host: string): string {
  return host.toLowerCase().replace(/:\d*$/, "").replace(/\.$/, "");
}

/** An address somebody typed cannot be a rebound name; it is fine where it is the one the connection came in on. */
function isOwnAddress(host: string, localAddress: string | undefined): boolean {
  if (localAddress === undefined) return false;
  const address = localAddress.replace(/^::ffff:/, "");
  return nameOf(host) === (address.includes(":") ? `[${address}]` : address);
}

/** Whether a page has our host. Its scheme may differ: behind a proxy that ends TLS the page is https and we are http. */
export function isSameOrigin(origin: string, host: string): boolean {
  return URL.canParse(origin) && new URL(origin).host === host.toLowerCase();
}

function quote(text: string): string {
  return JSON.stringify(text.slice(0, 100));
}
