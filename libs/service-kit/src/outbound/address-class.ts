import ipaddr from "ipaddr.js";

/**
 * The network of an address: `public` is the internet, `private` is this machine or its network, `never` is nothing
 * that serves HTTP for us: multicast, reserved ranges, link-local ones with the metadata services of clouds in them,
 * and invalid addresses.
 */
export type AddressClass = "public" | "private" | "never";

/** From harmless to harmful: an address inside another makes the whole as bad as the worse of the two. */
const order: readonly AddressClass[] = ["public", "private", "never"];

/** Metadata services outside of the link-local range: Azure, Alibaba, AWS and Google over IPv6. */
const metadata: ReadonlySet<string> = new Set(["168.63.129.16", "100.100.100.200", "fd00:ec2::254", "fd20:ce::254"]);

const privateRanges: ReadonlySet<string> = new Set(["loopback", "private", "carrierGradeNat", "uniqueLocal"]);

/**
 * Classifies an IP address. IPv4 addresses inside IPv6 ones (mapped, translated, tunnelled) count as well: some router
 * may unpack them. Names and invalid addresses are `never`.
 */
export function classifyAddress(address: string): AddressClass {
  if (ipaddr.IPv4.isValidFourPartDecimal(address)) return classifyIPv4(ipaddr.IPv4.parse(address));
  // A zone names an interface of this machine.
  if (!ipaddr.IPv6.isValid(address) || address.includes("%")) return "never";
  const parsed = ipaddr.IPv6.parse(address);
  return worst([classifyIPv6(parsed), ...listEmbedded(parsed).map(classifyIPv4)]);
}

function classifyIPv4(address: ipaddr.IPv4): AddressClass {
  const text = address.toString();
  if (metadata.has(text)) return "never";
  // Linux treats it as this machine.
  if (text === "0.0.0.0") return "private";
  return classOfRange(address.range());
}

/** By the range alone; an embedded address is classified separately. */
function classifyIPv6(address: ipaddr.IPv6): AddressClass {
  if (metadata.has(address.toString())) return "never";
  const range = address.range();
  if (range === "unspecified") return "private";
  // The well-known prefix of NAT64; its local one (64:ff9b:1::/48) has no fixed place for the address.
  if (range === "ipv4Mapped" || range === "6to4" || range === "teredo" || isWellKnownNat64(address)) return "public";
  // Of the rest only 2000::/3 was ever allocated.
  if (range === "unicast" && (part(address, 0) & 0xe000) !== 0x2000) return "never";
  return classOfRange(range);
}

function classOfRange(range: string): AddressClass {
  if (range === "unicast") return "public";
  return privateRanges.has(range) ? "private" : "never";
}

/** The IPv4 addresses an IPv6 address carries. */
function listEmbedded(address: ipaddr.IPv6): ipaddr.IPv4[] {
  const range = address.range();
  const interfaceId = (part(address, 4) & 0xfdff) === 0 && part(address, 5) === 0x5efe;
  // ISATAP embeds one below any prefix.
  const isatap = interfaceId ? [takeIPv4(address, 6)] : [];
  if (range === "ipv4Mapped" || isWellKnownNat64(address)) return [takeIPv4(address, 6), ...isatap];
  if (range === "6to4") return [takeIPv4(address, 1), ...isatap];
  // The server, and the client behind it, whose bits are inverted.
  if (range === "teredo") return [takeIPv4(address, 2), takeIPv4(address, 6, 0xffff), ...isatap];
  return isatap;
}

function isWellKnownNat64(address: ipaddr.IPv6): boolean {
  return address.range() === "rfc6052" && part(address, 2) === 0;
}

function part(address: ipaddr.IPv6, index: number): number {
  return address.parts[index] ?? 0;
}

/** The 32 bits that begin at a part. */
function takeIPv4(address: ipaddr.IPv6, index: number, inverted = 0): ipaddr.IPv4 {
  const [high, low] = [part(address, index) ^ inverted, part(address, index + 1) ^ inverted];
  return new ipaddr.IPv4([high >> 8, high & 0xff, low >> 8, low & 0xff]);
}

function worst(classes: readonly AddressClass[]): AddressClass {
  return order[Math.max(...classes.map((each) => order.indexOf(each)))] ?? "never";
}
