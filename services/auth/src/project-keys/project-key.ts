import { randomBytes } from "node:crypto";
import { completeProjectKey } from "@touchstone/service-kit";

const base62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const randomChars = 32;

/** A new project key: 32 characters drawn evenly from 62, which is 190 bits, with prefix and checksum. */
export function createProjectKey(): string {
  let drawn = "";
  while (drawn.length < randomChars) {
    for (const byte of randomBytes(randomChars)) {
      // Bytes from 248 on would favour the first characters.
      if (byte < 248 && drawn.length < randomChars) drawn += base62[byte % 62];
    }
  }
  return completeProjectKey(drawn);
}
