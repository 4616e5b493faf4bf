import { crc32 } from "node:zlib";

/**
 * The form of a project key: `tsk_`, 32 random base62 characters (190 bits), 6 base62 characters of their CRC-32. The
 * checksum lets the gateway refuse a mistyped or foreign token without a request (decision 9); it is not secret and
 * proves nothing.
 */
const keyPattern = /^tsk_([0-9A-Za-z]{32})([0-9A-Za-z]{6})$/;

const base62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/** The key made of 32 random base62 characters: prefix and checksum added. */
export function completeProjectKey(random: string): string {
  return `tsk_${random}${checksum(random)}`;
}

/** Whether a text has the form of a project key. The key need not exist. */
export function isWellFormedProjectKey(text: string): boolean {
  const [, random = "", check = ""] = keyPattern.exec(text) ?? [];
  return random !== "" && checksum(random) === check;
}

function checksum(random: string): string {
  let rest = crc32(random);
  let digits = "";
  for (let place = 0; place < 6; place += 1) {
    digits = (base62[rest % 62] as string) + digits;
    rest = Math.floor(rest / 62);
  }
  return digits;
}
