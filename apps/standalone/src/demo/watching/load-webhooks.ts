import type { DemoClient } from "../demo-client.ts";
import type { DemoReceiver } from "./start-receiver.ts";

const webhooksPath = "/agent-monitoring/webhooks";
const onCall = "On-call, of what is severe. Its receiver runs inside the process that was started with --demo.";
const chat = "The old chat bridge. It answered 410 and was disabled.";

interface Webhook {
  _id: string;
  description: string | null;
}

/**
 * A webhook with a history: successful deliveries, a failed one that was replayed, and a receiver that no longer exists. Events
 * of the loaded traffic are delivered too. On a later start it is redirected to the receiver's new address.
 */
export async function loadWebhooks(client: DemoClient, receiver: DemoReceiver): Promise<void> {
  const { webhooks } = await client.call<{ webhooks: Webhook[] }>("GET", webhooksPath);
  const known = webhooks.find(({ description }) => description === onCall);
  if (known !== undefined) {
    await client.call("PUT", `${webhooksPath}/${known._id}`, { url: receiver.url });
    return;
  }
  const gone = await createWebhook(client, { url: receiver.goneUrl, description: chat });
  await client.call("POST", `${webhooksPath}/${gone}/test`, {});
  const id = await createWebhook(client, { url: receiver.url, description: onCall, minSeverity: "high" });
  await client.call("POST", `${webhooksPath}/${id}/test`, {});
  receiver.fail(true);
  const { delivery } = await client.call<{ delivery: { _id: string } }>("POST", `${webhooksPath}/${id}/test`, {});
  receiver.fail(false);
  await client.call("POST", `/agent-monitoring/webhook-deliveries/${delivery._id}/replay`, {});
}

/** Whether the load of the sample was started in this project: webhooks are created first. */
export async function isDemoBegun(client: DemoClient): Promise<boolean> {
  const { webhooks } = await client.call<{ webhooks: Webhook[] }>("GET", webhooksPath);
  return webhooks.some(({ description }) => description === chat);
}

async function createWebhook(client: DemoClient, body: Record<string, unknown>): Promise<string> {
  const { webhook } = await client.call<{ webhook: Webhook }>("POST", webhooksPath, body);
  return webhook._id;
}
