import { createHmac, randomBytes } from "node:crypto";
import { deriveKey } from "@touchstone/service-kit";

/** The keys that sign messages. */
export interface SigningKeys {
  /**
   * The bytes of a webhook's secret. Only the salt is stored: the rest is derived from the installation's root secret.
   */
  ofWebhook(projectId: string, webhookId: string, salt: Buffer): Buffer;
  /** For channels of profiles; null: those messages are not signed. */
  ofChannels: Buffer | null;
}

export function createSigningKeys({
  rootSecret,
  channelSecret,
}: {
  rootSecret: string;
  /** SERVICE_WEBHOOK_SECRET; null: unset. */
  channelSecret: string | null;
}): SigningKeys {
  const key = deriveKey(rootSecret, "webhook-secret");
  return {
    ofWebhook: (projectId, webhookId, salt) =>
      createHmac("sha256", key).update(`${projectId} ${webhookId} `).update(salt).digest(),
    ofChannels: channelSecret === null ? null : readSecret(channelSecret),
  };
}

/** A new salt, and with it a new secret. */
export const newSalt = (): Buffer => randomBytes(24);

const secretPrefix = "whsec_";

/** A secret as it is shown, in the format of Standard Webhooks. */
export const showSecret = (secret: Buffer): string => secretPrefix + secret.toString("base64");

/** `whsec_` and base64, or any text, used as it is. */
function readSecret(text: string): Buffer {
  return text.startsWith(secretPrefix) ? Buffer.from(text.slice(secretPrefix.length), "base64") : Buffer.from(text);
}

/**
 * The headers of a message by Standard Webhooks: its id, the second it is sent in, and HMAC-SHA256 over
 * `id.timestamp.body` for each secret (`v1,<base64>`, separated by spaces). Without a secret there is no signature.
 */
export function signMessage(
  message: { id: string; sentAt: Date; body: string },
  secrets: readonly Buffer[],
): Record<string, string> {
  const timestamp = String(Math.floor(message.sentAt.getTime() / 1000));
  const signed = `${message.id}.${timestamp}.${message.body}`;
  const signatures = secrets.map((secret) => `v1,${createHmac("sha256", secret).update(signed).digest("base64")}`);
  return {
    "webhook-id": message.id,
    "webhook-timestamp": timestamp,
    ...(signatures.length > 0 && { "webhook-signature": signatures.join(" ") }),
  };
}
