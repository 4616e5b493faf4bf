import { accountOriginHeader, clientAddressHeader } from "@touchstone/contracts";
import type { FastifyRequest } from "fastify";
import { ownCookies } from "../credentials/presented-session.ts";
import { isSameOrigin } from "./caller-origin.ts";

/**
 * Headers for auth on the sign-in family: the installation's cookies, the page's origin, and facts that only the
 * gateway knows. No other route receives a cookie.
 */
export function accountHeaders(request: FastifyRequest, publicUrl: string | null): Record<string, string> {
  const { origin } = request.headers;
  const cookie = ownCookies(request.headers.cookie);
  return {
    ...(cookie !== null && { cookie }),
    ...(origin !== undefined && { origin }),
    [accountOriginHeader]: originOf(request, publicUrl),
    [clientAddressHeader]: request.ip,
  };
}

/** Headers for routes that create a link: the origin of the link. */
export function originHeaders(request: FastifyRequest, publicUrl: string | null): Record<string, string> {
  return { [accountOriginHeader]: originOf(request, publicUrl) };
}

/**
 * Without a public URL it is the page's origin, which alone shows whether a proxy ends TLS; of other clients it is what a
 * trusted proxy says. The host was checked before.
 */
function originOf({ headers, protocol }: FastifyRequest, publicUrl: string | null): string {
  const { origin, host = "" } = headers;
  if (publicUrl !== null) return new URL(publicUrl).origin;
  return origin !== undefined && isSameOrigin(origin, host) ? origin : `${protocol}://${host}`;
}
