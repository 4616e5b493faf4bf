import { classifyAddress } from "./address-class.ts";
import { OutboundError } from "./outbound-error.ts";

/** The hosts a caller may reach. Decided by the operator or by the origin of the URL, never by its text. */
export interface OutboundReach {
  /**
   * Whether hosts of this machine and of its network are allowed. True for addresses that the operator configured, and
   * for users' ones if SERVICE_ALLOW_PRIVATE_WEBHOOKS is set. Link-local addresses, including the metadata services of
   * clouds, are always refused.
   */
  allowsPrivateHosts: boolean;
}

const urlCharsMax = 2048;

/** Ports of other protocols, where a request might be read as a command (the bad ports of the fetch standard). */
const portsOfOthers: ReadonlySet<number> = new Set([
  ...[1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061, 6000, 6566],
  ...[6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080],
]);
const badLowPorts: ReadonlySet<number> = new Set([
  ...[0, 1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95],
  ...[101, 102, 103, 104, 109, 110, 111, 113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179, 389, 427],
  ...[465, 512, 513, 514, 515, 526, 530, 531, 532, 540, 548, 554, 556, 563, 587, 601, 636, 989, 990, 993, 995],
]);

/**
 * Parses a URL that we are to call: http or https, without user or password, with a port for HTTP (80, 443 and 1024
 * upwards, without those of other protocols; below 1024 more where private hosts are allowed), and an allowed address
 * if the host is an IP address. Also used to check an address when it is saved. Throws an {@link OutboundError}. A name
 * is accepted: its addresses are checked at each call.
 */
export function readOutboundUrl(text: string, reach: OutboundReach): URL {
  if (text.length > urlCharsMax) throw refused(`longer than ${urlCharsMax} characters`);
  // The URL standard drops some of these and rewrites others, so that the called address differs from the one a reader
  // sees.
  if (/[\p{Cc}\p{Cf}\p{Z}\\]/u.test(text)) throw refused("must not contain spaces, control characters or backslashes");
  const url = URL.parse(text);
  if (url === null) throw refused("not a valid address");
  if (url.protocol !== "http:" && url.protocol !== "https:") throw refused("must begin with http:// or https://");
  if (!/^https?:\/\/[^/]/i.test(text)) throw refused("must begin with http:// or https://");
  if (url.username !== "" || url.password !== "" || authorityOf(text).includes("@")) {
    throw refused("must not contain a user or a password");
  }
  if (!isHttpPort(url, reach)) throw refused(`port ${url.port} is not one for HTTP`);
  const address = literalAddress(url.hostname);
  if (address !== null && !isReachable(address, reach)) throw addressRefused();
  return url;
}

/** Whether connections to an IP address are allowed. */
export function isReachable(address: string, { allowsPrivateHosts }: OutboundReach): boolean {
  const addressClass = classifyAddress(address);
  return addressClass === "public" || (addressClass === "private" && allowsPrivateHosts);
}

/** One sentence for names that do not exist and names that lead inside, so that it does not reveal which. */
export function addressRefused(): OutboundError {
  return new OutboundError("address_refused", "The host of the URL has no address that may be called.");
}

function refused(reason: string): OutboundError {
  return new OutboundError("url_refused", `The URL cannot be called: ${reason}.`);
}

function isHttpPort(url: URL, { allowsPrivateHosts }: OutboundReach): boolean {
  const port = Number(url.port || (url.protocol === "https:" ? 443 : 80));
  if (port === 80 || port === 443) return true;
  if (port < 1024) return allowsPrivateHosts && !badLowPorts.has(port);
  return !portsOfOthers.has(port);
}

function authorityOf(text: string): string {
  return text.slice(text.indexOf("//") + 2).split(/[/?#]/, 1)[0] ?? "";
}

/** The IP address of a host, or null for a name. The URL standard has normalised it. */
function literalAddress(hostname: string): string | null {
  if (hostname.startsWith("[")) return hostname.slice(1, -1);
  return /^[\d.]+$/.test(hostname) ? hostname : null;
}
