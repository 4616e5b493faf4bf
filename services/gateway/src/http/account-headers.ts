import { accountOriginHeader, clientAddressHeader } from "@touchstone/contracts";
import type { FastifyRequest } from "fastify";
import { ownCookies } from "../credentials/presented-session.ts";
import { isSameOrigin } from "./caller-origin.ts";

/**
 * What goes on to auth beside a request of the sign-in family: our own cookies, the page's origin, and what only the
 * gateway knows. No other route sees a cookie.
 */
export function accountHeaders(request: FastifyRequest, publicUrl: string | null): Record<string, string> {
  const { origin, host = "" } = request.headers;
  const cookie = ownCookies(request.headers.cookie);
  return {
    ...(cookie !== null && { cookie }),
    ...(origin !== undefined && { origin }),
    [accountOriginHeader]: originOf(publicUrl, origin, host),
    [clientAddressHeader]: request.ip,
  };
}

/** What goes on to auth where it makes a link for somebody: the origin that link begins with. */
export function pageOriginHeaders(request: FastifyRequest, publicUrl: string | null): Record<string, string> {
  const { origin, host = "" } = request.headers;
  return { [accountOriginHeader]: originOf(publicUrl, origin, host) };
}

/** Without a public URL it is the page's own, which alone knows whether a proxy ends TLS. The host was checked before. */
function originOf(publicUrl: string | null, origin: string | undefined, host: string): string {
  if (publicUrl !== null) return new URL(publicUrl).origin;
  return origin !== undefined && isSameOrigin(origin, host) ? origin : `http://${host}`;
}
