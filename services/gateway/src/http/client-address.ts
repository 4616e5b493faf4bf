import { isIP } from "node:net";

/** Whom to believe about `X-Forwarded-For`: nobody, everybody, the nearest so many hops, or these subnets. */
export type TrustedProxies = boolean | { hops: number } | readonly string[];

/** Null when the text is none of the forms. */
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
