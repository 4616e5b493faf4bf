import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import { isStorable } from "@touchstone/contracts";
import type { Database } from "@touchstone/db";
import type { Clock } from "@touchstone/service-kit";
import { readPasswordOfAddress } from "./password-reader.ts";

/**
 * Devices that signed in to an account before. A signed cookie proves it: it contains a random id, and is valid for one
 * account, its current password, and half a year. It grants no access; attempts of other clients do not slow down a
 * device that has it.
 */
export interface KnownDevices {
  /** The id of the device if its cookie is valid for the account of this address, else null. */
  recognize(address: string, cookies: string | undefined): Promise<string | null>;
  /** The `Set-Cookie` for a device that has just proved that it knows the password; null if the account has none. */
  remember(address: string, device: string | null): Promise<string | null>;
}

export interface KnownDevicesOptions {
  database: Database;
  secret: string;
  /** True if browsers use https. */
  isSecure: boolean;
  clock: Clock;
}

const lifetimeSeconds = 180 * 24 * 60 * 60;

export function createKnownDevices({ database, secret, isSecure, clock }: KnownDevicesOptions): KnownDevices {
  const cookieName = `${isSecure ? "__Secure-" : ""}touchstone.device`;

  function sign(facts: { address: string; device: string; expiresAt: number; passwordHash: string }): Buffer {
    const { address, device, expiresAt, passwordHash } = facts;
    const text = JSON.stringify(["known device", normalize(address), device, expiresAt, passwordHash]);
    return createHmac("sha256", secret).update(text).digest();
  }

  return {
    async recognize(address, cookies) {
      const shown = readCookie(cookies, cookieName);
      if (shown === null || shown.expiresAt * 1000 < clock.now()) return null;
      // PostgreSQL would refuse an address with NUL; no account has one.
      const passwordHash = isStorable(address) ? await readPasswordOfAddress(database, normalize(address)) : null;
      // Always computed: the time must not reveal whether the account exists.
      const expected = sign({ address, ...shown, passwordHash: passwordHash ?? "" });
      const isGood = timingSafeEqual(expected, shown.signature);
      return isGood && passwordHash !== null ? shown.device : null;
    },

    async remember(address, device) {
      const passwordHash = await readPasswordOfAddress(database, normalize(address));
      if (passwordHash === null) return null;
      const id = device ?? randomBytes(16).toString("base64url");
      const expiresAt = Math.floor(clock.now() / 1000) + lifetimeSeconds;
      const signature = sign({ address, device: id, expiresAt, passwordHash }).toString("base64url");
      const attributes = [
        `${cookieName}=${id}.${expiresAt}.${signature}`,
        `Max-Age=${lifetimeSeconds}`,
        "Path=/api/v1/auth",
        "HttpOnly",
        "SameSite=Lax",
        ...(isSecure ? ["Secure"] : []),
      ];
      return attributes.join("; ");
    },
  };
}

interface ShownCookie {
  device: string;
  /** Seconds since the epoch. */
  expiresAt: number;
  /** 32 bytes. */
  signature: Buffer;
}

/** Null if there is none of this form. */
function readCookie(cookies: string | undefined, name: string): ShownCookie | null {
  for (const cookie of (cookies ?? "").split(";")) {
    const text = cookie.trim();
    if (!text.startsWith(`${name}=`)) continue;
    const match = /^([\w-]{22})\.(\d{1,12})\.([\w-]{43})$/.exec(text.slice(name.length + 1));
    if (match === null) return null;
    const [device, expiresAt, signature] = match.slice(1) as [string, string, string];
    return { device, expiresAt: Number(expiresAt), signature: Buffer.from(signature, "base64url") };
  }
  return null;
}

/** As the accounts library stores addresses. */
function normalize(address: string): string {
  return address.trim().toLowerCase();
}
