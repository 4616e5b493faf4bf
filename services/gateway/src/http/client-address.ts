import { isIP } from "node:net";

/** Trusted senders of `X-Forwarded-For`: none, all, the nearest hops, or these subnets. */
export type TrustedProxies = boolean | { hops: number } | readonly string[];

/** Null if the text has none of the forms. */
export function readTrustedProxies(text: string | undefined): TrustedProxies | null {
  if (text === undefined || text === "false") return false;
  if (text === "true") return true;
  if (/^\d+$/.test(text)) return { hops: Number(text) };
  const subnets = text.split(",").map((subnet) => subnet.trim());
  return subnets.every(isSubnet) ? subnets : null;
}

function isSubnet(text: string): boolean {
  const [address = "", bits, ...rest] = text.split("/");
  const version = isIP(address);
  if (version === 0 || rest.length > 0) return false;
  return bits === undefined || (/^\d+$/.test(bits) && Number(bits) <= (version === 4 ? 32 : 128));
}
