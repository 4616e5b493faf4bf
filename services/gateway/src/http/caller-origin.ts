import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import { AppError } from "@touchstone/service-kit";

export interface CallerOriginOptions {
  publicUrl: string | null;
  allowedHosts: readonly string[];
  trustedOrigins: readonly string[];
}

/** The connection of a request. */
export interface Arrival {
  /** The scheme stated by a trusted proxy, else that of the connection. */
  protocol: string;
  mightUseSession: boolean;
}

export interface CallerOrigin {
  /**
   * Refuses (403) an unknown host name, and a browser page of an untrusted origin. Returns the origin if it is foreign
   * and trusted: the answer needs CORS headers; null otherwise. A foreign page that might use a session gets the
   * sign-in family's error.
   */
  check(request: IncomingMessage, arrival: Arrival): string | null;
}

/**
 * Refuses (403) a request sent by a page of another site if the answer holds the default key. A browser that loads an
 * address as an image or a script sends no Origin, but Sec-Fetch-Site.
 */
export function refuseOtherSites({ "sec-fetch-site": site }: IncomingHttpHeaders): void {
  if (site === undefined || site === "same-origin" || site === "none") return;
  throw new AppError("host_refused", "Only pages of this installation may ask for its key.");
}

const loopbackNames = ["localhost", "127.0.0.1", "[::1]"];

/**
 * In default mode every caller gets the key, so the attack to prevent is a web page that rebinds its host name to this
 * machine, or posts from its own origin (completions 0.3). A page cannot choose the Host and Origin that its browser
 * sends.
 */
export function createCallerOrigin(options: CallerOriginOptions): CallerOrigin {
  const publicUrl = options.publicUrl === null ? null : new URL(options.publicUrl);
  const hosts = new Set([
    ...loopbackNames,
    ...options.allowedHosts.map(nameOf),
    ...(publicUrl ? [publicUrl.hostname] : []),
  ]);
  const origins = new Set(options.trustedOrigins);

  /** An http page whose host is reached by https: anyone on its network may have written it. */
  function isDowngraded(origin: string, protocol: string): boolean {
    const { protocol: ofPage, host } = new URL(origin);
    const isReachedByHttps = protocol === "https" || (publicUrl?.protocol === "https:" && publicUrl.host === host);
    return ofPage !== "https:" && isReachedByHttps;
  }

  return {
    check({ headers, headersDistinct, socket }, { protocol, mightUseSession }) {
      const host = headers.host ?? "";
      // With several Host headers, this code and a proxy before it might each read another one.
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

/** A literal address cannot be a rebound name; it is accepted if the connection arrived on it. */
function isOwnAddress(host: string, localAddress: string | undefined): boolean {
  if (localAddress === undefined) return false;
  const address = localAddress.replace(/^::ffff:/, "");
  return nameOf(host) === (address.includes(":") ? `[${address}]` : address);
}

/**
 * True if a page has the request's host. Its scheme may differ: behind a proxy that ends TLS the page is https and the
 * gateway is http.
 */
export function isSameOrigin(origin: string, host: string): boolean {
  return URL.canParse(origin) && new URL(origin).host === host.toLowerCase();
}

function quote(text: string): string {
  return JSON.stringify(text.slice(0, 100));
}
