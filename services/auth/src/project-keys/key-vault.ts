import { createHmac } from "node:crypto";
import { deriveKey } from "@touchstone/service-kit";
import { createSealing, type Sealing } from "./sealing.ts";

/** How keys are kept (decision 27): sealed, so that they can be shown or used again; a project's is found by a fingerprint. */
export interface KeyVault extends Sealing {
  /** HMAC-SHA-256 of a project key. Whoever reads the table can neither invert it nor compute one without the root secret. */
  fingerprint(apiKey: string): Buffer;
  /** Keys of LLM providers, under an encryption key of their own. */
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
