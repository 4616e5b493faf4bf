import { createCipheriv, createDecipheriv, createHmac, randomBytes } from "node:crypto";
import { deriveKey } from "@touchstone/service-kit";

/**
 * How keys are stored (decision 27): sealed, so that they can be shown or used again; a project's is found by a
 * fingerprint.
 */
export interface KeyVault extends Sealing {
  /**
   * HMAC-SHA-256 of a project key. A reader of the table can neither invert it nor compute one without the root secret.
   */
  fingerprint(apiKey: string): Buffer;
  /** Keys of LLM providers, under a separate encryption key. */
  providerKeys: Sealing;
}

/** Derives all keys from the installation's root secret, so every replica has the same ones and none is stored. */
export function createKeyVault(rootSecret: string): KeyVault {
  const lookupKey = deriveKey(rootSecret, "project-key-lookup");
  return {
    ...createSealing(deriveKey(rootSecret, "project-key-encryption")),
    fingerprint: (apiKey) => createHmac("sha256", lookupKey).update(apiKey).digest(),
    providerKeys: createSealing(deriveKey(rootSecret, "provider-key-encryption")),
  };
}

/** Encrypts texts that must be readable again, each for one owner. */
interface Sealing {
  seal(ownerId: string, text: string): Buffer;
  /** Decrypts a text. Throws if the bytes were sealed for another owner or under another key, or were changed. */
  open(ownerId: string, sealed: Buffer): string;
}

/** Layout of sealed bytes: version, nonce, tag, text. A new format gets a new version byte. */
const version = 1;
const nonceBytes = 12;
const tagBytes = 16;

/** AES-256-GCM with a key of 32 bytes, and the owner as associated data. */
function createSealing(encryptionKey: Buffer): Sealing {
  return {
    seal(ownerId, plain) {
      const nonce = randomBytes(nonceBytes);
      const cipher = createCipheriv("aes-256-gcm", encryptionKey, nonce).setAAD(Buffer.from(ownerId));
      const text = Buffer.concat([cipher.update(plain, "utf8"), cipher.final()]);
      return Buffer.concat([Buffer.from([version]), nonce, cipher.getAuthTag(), text]);
    },
    open(ownerId, sealed) {
      if (sealed[0] !== version) throw new Error(`a key is sealed in version ${sealed[0]}, which is unknown`);
      const nonce = sealed.subarray(1, 1 + nonceBytes);
      const tag = sealed.subarray(1 + nonceBytes, 1 + nonceBytes + tagBytes);
      const decipher = createDecipheriv("aes-256-gcm", encryptionKey, nonce, { authTagLength: tagBytes })
        .setAAD(Buffer.from(ownerId))
        .setAuthTag(tag);
      const text = sealed.subarray(1 + nonceBytes + tagBytes);
      return Buffer.concat([decipher.update(text), decipher.final()]).toString("utf8");
    },
  };
}
