import { createHmac, createSecretKey, timingSafeEqual } from "node:crypto";
import { accountOriginHeader, routes } from "@touchstone/contracts";
import { type Call, deriveKey } from "@touchstone/service-kit";
import { z } from "zod";

const kind = z.enum(["upload", "content"]);

const signed = z.tuple([kind, z.uuid(), z.string(), z.int(), z.string(), z.int()]);

/** What is read from an address. It can be used without a key until it expires. */
export interface AddressedMedia {
  kind: z.infer<typeof kind>;
  projectId: string;
  id: string;
  contentLength: number;
  contentType: string;
  /** Epoch milliseconds. */
  expiresAtMs: number;
}

/** The part of an address that all replicas can check, because they share the key. */
export interface SignedAddresses {
  write(media: AddressedMedia): string;
  /** Null if it was not written for this use, or has expired. */
  read(text: string, use: { kind: AddressedMedia["kind"]; nowMs: number }): AddressedMedia | null;
}

export function createSignedAddresses(rootSecret: string): SignedAddresses {
  const key = createSecretKey(deriveKey(rootSecret, "media addresses"));
  const sign = (payload: string): Buffer => createHmac("sha256", key).update(payload).digest();
  return {
    write({ kind, projectId, id, contentLength, contentType, expiresAtMs }) {
      const facts: z.input<typeof signed> = [kind, projectId, id, contentLength, contentType, expiresAtMs];
      const payload = Buffer.from(JSON.stringify(facts)).toString("base64url");
      return `${payload}.${sign(payload).toString("base64url")}`;
    },

    read(text, use) {
      const [payload = "", signature = "", ...rest] = text.split(".");
      const [expected, given] = [sign(payload), Buffer.from(signature, "base64url")];
      if (rest.length > 0 || given.length !== expected.length || !timingSafeEqual(given, expected)) return null;
      const [kind, projectId, id, contentLength, contentType, expiresAtMs] = signed.parse(
        JSON.parse(Buffer.from(payload, "base64url").toString("utf8")),
      );
      if (kind !== use.kind || expiresAtMs < use.nowMs) return null;
      return { kind, projectId, id, contentLength, contentType, expiresAtMs };
    },
  };
}

/** Where content is sent, by its signed address. */
export const uploadUrl = (call: Call, address: string): string => urlOf(call, routes.uploadMedia.path, address);

/** Where content is read, by its signed address. */
export const contentUrl = (call: Call, address: string): string => urlOf(call, routes.readMediaContent.path, address);

/** Absolute, if the gateway says how the client reached it. */
function urlOf({ headers }: Call, path: string, address: string): string {
  const origin = headers[accountOriginHeader];
  return `${typeof origin === "string" ? origin : ""}${path.replace("{address}", address)}`;
}
