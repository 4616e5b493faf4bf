import { createCipheriv, createDecipheriv, createSecretKey, randomBytes } from "node:crypto";
import { deriveKey } from "@touchstone/service-kit";
import type { TailPosition } from "./tail-store.ts";

/** The decoded event id that a reader sends back to resume: a position and its time (epoch milliseconds). */
export interface EventId {
  position: TailPosition;
  atMs: number;
}

/** The ids of events, as readers of a project see them. */
export interface EventIds {
  format(projectId: string, id: EventId): string;
  /** Null if the text is not an event id of this project. */
  parse(projectId: string, text: string): EventId | null;
}

const algorithm = "aes-256-gcm";
const nonceBytes = 12;
const tagBytes = 16;
/** Transaction and number in 64 bits each, and the time in 48. */
const placeBytes = 22;
const textChars = Math.ceil(((nonceBytes + placeBytes + tagBytes) * 4) / 3);

/**
 * Positions count over all projects of the installation; in clear text they would show a tenant how much others store.
 * So an id is encrypted with a key that all replicas share, and bound to its project. Ids of other projects, of older
 * versions and forged ids are invalid.
 */
export function createEventIds(rootSecret: string): EventIds {
  const key = createSecretKey(deriveKey(rootSecret, "stream event ids"));
  return {
    format(projectId, { position, atMs }) {
      const place = Buffer.alloc(placeBytes);
      place.writeBigUInt64BE(position.xid, 0);
      place.writeBigUInt64BE(position.seq, 8);
      place.writeUIntBE(Math.trunc(atMs), 16, 6);
      const nonce = randomBytes(nonceBytes);
      const cipher = createCipheriv(algorithm, key, nonce).setAAD(Buffer.from(projectId));
      const sealed = Buffer.concat([cipher.update(place), cipher.final()]);
      return Buffer.concat([nonce, sealed, cipher.getAuthTag()]).toString("base64url");
    },
    parse(projectId, text) {
      if (text.length !== textChars) return null;
      const bytes = Buffer.from(text, "base64url");
      if (bytes.length !== nonceBytes + placeBytes + tagBytes) return null;
      try {
        const decipher = createDecipheriv(algorithm, key, bytes.subarray(0, nonceBytes))
          .setAAD(Buffer.from(projectId))
          .setAuthTag(bytes.subarray(-tagBytes));
        const place = Buffer.concat([decipher.update(bytes.subarray(nonceBytes, -tagBytes)), decipher.final()]);
        return {
          position: { xid: place.readBigUInt64BE(0), seq: place.readBigUInt64BE(8) },
          atMs: place.readUIntBE(16, 6),
        };
      } catch {
        // The authentication tag is wrong.
        return null;
      }
    },
  };
}
