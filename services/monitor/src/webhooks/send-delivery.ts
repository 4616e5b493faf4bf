import { OutboundError, type OutboundFetch, type OutboundReach } from "@touchstone/service-kit";
import { checkUrl } from "../model/check-url.ts";
import type { DeliveryEnding, TakenDelivery } from "./delivery-store.ts";
import { type SigningKeys, signMessage } from "./sign-message.ts";

/** The delay after each temporary failure; one fewer than there are tries. About 17 hours in all. */
const retryDelaysMs: readonly number[] = [1_000, 5_000, 25_000, 120_000, 600_000, 3_600_000, 14_400_000, 43_200_000];
/** Limits of one try and of its response. */
export const sendBounds = { totalMs: 8_000, idleMs: 8_000, answerMaxBytes: 16 * 1024 } as const;

/** Makes one try of a message. Never rejects; keeps only the status of the response. */
export type SendDelivery = (delivery: TakenDelivery) => Promise<DeliveryEnding>;

export function createSendDelivery(options: {
  fetch: OutboundFetch;
  reach: OutboundReach;
  keys: SigningKeys;
  delaysMs?: readonly number[];
}): SendDelivery {
  const { fetch, reach, keys, delaysMs = retryDelaysMs } = options;

  function secretsOf({ projectId, webhookId, salts }: TakenDelivery): Buffer[] {
    if (webhookId !== null) return (salts ?? []).map((salt) => keys.ofWebhook(projectId, webhookId, salt));
    return keys.ofChannels === null ? [] : [keys.ofChannels];
  }

  return async (delivery) => {
    const { webhookId, id, url, body, attempt } = delivery;
    const failed = (lastError: string): DeliveryEnding => ({ outcome: "failed", lastStatus: null, lastError });
    const later = (lastStatus: number | null, lastError: string): DeliveryEnding => {
      const delayMs = delaysMs[attempt - 1];
      if (delayMs === undefined) return { outcome: "failed", lastStatus, lastError };
      return { outcome: "retry", lastStatus, lastError, delayMs: withJitter(delayMs) };
    };
    if (webhookId !== null && delivery.salts === null) return failed("The webhook was deleted.");
    // A message that kills its process at every try must not be retried without end.
    if (attempt > delaysMs.length + 1) return failed("No try came to an end.");
    const checked = checkUrl(url, reach);
    if ("refusal" in checked) return failed(checked.refusal.message);
    try {
      const answer = await fetch(url, {
        method: "POST",
        headers: {
          "content-type": "application/json",
          "user-agent": "Touchstone-Webhooks",
          ...signMessage({ id, sentAt: new Date(), body }, secretsOf(delivery)),
        },
        body,
      });
      await answer.body?.cancel();
      const { status } = answer;
      if (status >= 200 && status < 300) return { outcome: "delivered", lastStatus: status, lastError: null };
      const said = `The receiver answered ${status}${status >= 300 && status < 400 ? "; redirects are not followed" : ""}.`;
      return status === 410 ? { outcome: "gone", lastStatus: status, lastError: said } : later(status, said);
    } catch (err) {
      return later(null, describe(err));
    }
  };
}

/** Only messages written for users: others may reveal the network. */
const describe = (err: unknown): string =>
  err instanceof OutboundError ? err.message : "The message could not be sent.";

/** Adds up to a tenth, so that messages that failed together are not retried together. */
const withJitter = (delayMs: number): number => Math.round(delayMs * (1 + Math.random() / 10));
