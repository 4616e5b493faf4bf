import { accountOriginHeader, clientAddressHeader } from "@touchstone/contracts";
import type { FastifyRequest } from "fastify";
import { ownCookies } from "../credentials/presented-session.ts";
import { isSameOrigin } from "./caller-origin.ts";

/**
 * Headers for auth on the sign-in family: the installation's cookies, the page's origin, and facts that only the
 * gateway knows. No other route receives a cookie.
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

/** Headers for auth on routes that create a link: the origin of the link. */
export function pageOriginHeaders(request: FastifyRequest, publicUrl: string | null): Record<string, string> {
  const { origin, host = "" } = request.headers;
  return { [accountOriginHeader]: originOf(publicUrl, origin, host) };
}

/**
 * Without a public URL it is the page's origin, which alone shows whether a proxy ends TLS. The host was checked
 * before.
 */
function originOf(publicUrl: string | null, origin: string | undefined, host: string): string {
  if (publicUrl !== null) return new URL(publicUrl).origin;
  return origin !== undefined && isSameOrigin(origin, host) ? origin : `http://${host}`;
}
