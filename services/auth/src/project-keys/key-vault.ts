import { createCipheriv, createDecipheriv, createHmac, randomBytes } from "node:crypto";
import { deriveKey } from "@touchstone/service-kit";

/** How project keys are kept (architecture 5): found by a fingerprint, and sealed so that the API can show them again. */
export interface KeyVault {
  /** HMAC-SHA-256 of the key. Whoever reads the table can neither invert it nor compute one without the root secret. */
  fingerprint(apiKey: string): Buffer;
  /** Encrypts a key for one project. */
  seal(projectId: string, apiKey: string): Buffer;
  /** The key again. Throws when the bytes were sealed for another project, changed, or under another root secret. */
  open(projectId: string, sealed: Buffer): string;
}

/** Layout of a sealed key: version, nonce, tag, text. A new way of sealing takes a new version byte. */
const version = 1;
const nonceBytes = 12;
const tagBytes = 16;

/** Derives both keys from the installation's root secret, so every replica has the same ones and none is stored. */
export function createKeyVault(rootSecret: string): KeyVault {
  const lookupKey = deriveKey(rootSecret, "project-key-lookup");
  const encryptionKey = deriveKey(rootSecret, "project-key-encryption");
  return {
    fingerprint: (apiKey) => createHmac("sha256", lookupKey).update(apiKey).digest(),
    seal(projectId, apiKey) {
      const nonce = randomBytes(nonceBytes);
      const cipher = createCipheriv("aes-256-gcm", encryptionKey, nonce).setAAD(Buffer.from(projectId));
      const text = Buffer.concat([cipher.update(apiKey, "utf8"), cipher.final()]);
      return Buffer.concat([Buffer.from([version]), nonce, cipher.getAuthTag(), text]);
    },
    open(projectId, sealed) {
      if (sealed[0] !== version) throw new Error(`a project key is sealed in version ${sealed[0]}, which is unknown`);
      const nonce = sealed.subarray(1, 1 + nonceBytes);
      const tag = sealed.subarray(1 + nonceBytes, 1 + nonceBytes + tagBytes);
      const decipher = createDecipheriv("aes-256-gcm", encryptionKey, nonce, { authTagLength: tagBytes })
        .setAAD(Buffer.from(projectId))
        .setAuthTag(tag);
      const text = sealed.subarray(1 + nonceBytes + tagBytes);
      return Buffer.concat([decipher.update(text), decipher.final()]).toString("utf8");
    },
  };
}
