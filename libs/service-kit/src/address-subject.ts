import { isIP } from "node:net";

/**
 * The key for limits per client address (interface: Limits): an IPv4 address, or the /64 of an IPv6 address, because
 * one customer usually has the whole /64. `claimed` may come out of `X-Forwarded-For`; if it is not an address, the
 * socket's address counts.
 */
export function addressSubjectOf(claimed: string, socketAddress: string): string {
  const address = unmap(isIP(claimed) === 0 ? socketAddress : claimed);
  return isIP(address) === 6 ? prefixOf(address) : address;
}

/** IPv4 clients of a dual-stack socket appear as `::ffff:1.2.3.4`. */
function unmap(address: string): string {
  const mapped = /^::ffff:([\d.]+)$/i.exec(address)?.[1];
  return mapped ?? address;
}

function prefixOf(address: string): string {
  const [head = "", tail] = (address.split("%")[0] as string).toLowerCase().split("::");
  const before = head === "" ? [] : head.split(":");
  const after = tail === undefined || tail === "" ? [] : tail.split(":");
  const zeros = tail === undefined ? [] : Array<string>(Math.max(0, 8 - before.length - after.length)).fill("0");
  const groups = [...before, ...zeros, ...after].slice(0, 4);
  return `${groups.map((group) => Number.parseInt(group, 16).toString(16)).join(":")}::/64`;
}
