import type { IncomingHttpHeaders } from "node:http";
import type { Authentication } from "@touchstone/contracts";

/**
 * The key of a request, or null. `x-api-key` comes first, then `Authorization` if the route accepts it: Bearer, or
 * Basic with the key as the password (otlp 1). The text is not validated here.
 */
export function readPresentedKey(headers: IncomingHttpHeaders, ways: readonly Authentication[]): string | null {
  const key = headers["x-api-key"];
  if (ways.includes("key") && typeof key === "string") return key;
  if (ways.includes("authorization")) return readAuthorization(headers.authorization ?? "");
  return null;
}

function readAuthorization(authorization: string): string | null {
  const [, scheme = "", credential = ""] = /^(\S+) +(\S+) *$/.exec(authorization) ?? [];
  if (scheme.toLowerCase() === "bearer") return credential;
  if (scheme.toLowerCase() !== "basic") return null;
  const pair = Buffer.from(credential, "base64").toString("utf8");
  const colon = pair.indexOf(":");
  return colon < 0 ? null : pair.slice(colon + 1);
}
