import { setTimeout as sleep } from "node:timers/promises";

/** A client of the public API with the project's key. */
export interface DemoClient {
  /** Throws the API's message unless the status is 2xx. 429 and 503 are retried after `Retry-After`. */
  call<Reply>(method: string, path: string, body?: unknown): Promise<Reply>;
  /** Sends bytes unchanged, with the same retries. */
  send(path: string, body: string | Uint8Array<ArrayBuffer>, headers: Record<string, string>): Promise<void>;
}

const triesMax = 60;

export function createDemoClient({ address, apiKey }: { address: string; apiKey: string }): DemoClient {
  async function request(method: string, path: string, init: RequestInit): Promise<Response> {
    for (let tries = 1; ; tries += 1) {
      const headers = { "x-api-key": apiKey, ...(init.headers as Record<string, string>) };
      const response = await fetch(`${address}/api/v1${path}`, { ...init, method, headers });
      if (response.ok) return response;
      const text = await response.text();
      const isBusy = response.status === 429 || response.status === 503;
      if (!isBusy || tries === triesMax) throw new Error(`${method} ${path} answered ${response.status}: ${text}`);
      await sleep(Number(response.headers.get("retry-after") ?? 1) * 1_000);
    }
  }

  return {
    async call<Reply>(method: string, path: string, body?: unknown) {
      const response = await request(method, path, {
        headers: { "content-type": "application/json" },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
      return (response.status === 204 ? undefined : await response.json()) as Reply;
    },
    async send(path, body, headers) {
      const response = await request("POST", path, { body, headers });
      await response.arrayBuffer();
    },
  };
}

/** Runs `work` for each item with bounded concurrency; resolves when all are done, or rejects with the first failure. */
export async function inParallel<Item>(
  items: readonly Item[],
  atOnce: number,
  work: (item: Item, index: number) => Promise<void>,
): Promise<void> {
  const queue = items.entries();
  const worker = async (): Promise<void> => {
    for (const [index, item] of queue) await work(item, index);
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, items.length) }, worker));
}
