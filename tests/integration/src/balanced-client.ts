import { setTimeout as sleep } from "node:timers/promises";

export interface BalancedClient {
  /** Like a load balancer: sends to the next ready gateway, and to another one when a connection is refused. */
  send(path: string, init?: RequestInit): Promise<Response>;
  close(): Promise<void>;
}

const checkEveryMs = 50;

/** A minimal load balancer: round-robin over the gateways whose `/health/ready` succeeds. */
export function createBalancedClient(gateways: readonly string[]): BalancedClient {
  let ready: readonly string[] = gateways;
  let turn = 0;
  let isOpen = true;
  const checking = (async () => {
    while (isOpen) {
      const isReady = await Promise.all(gateways.map(askReady));
      ready = gateways.filter((_gateway, index) => isReady[index]);
      await sleep(checkEveryMs);
    }
  })();
  return {
    async send(path, init) {
      for (let attempt = 0; ; attempt += 1) {
        turn += 1;
        const candidates = ready.length > 0 ? ready : gateways;
        try {
          return await fetch(`${candidates[turn % candidates.length]}${path}`, init);
        } catch (error) {
          if (attempt >= gateways.length || !wasRefused(error)) throw error;
        }
      }
    },
    async close() {
      isOpen = false;
      await checking;
    },
  };
}

async function askReady(gateway: string): Promise<boolean> {
  return fetch(`${gateway}/health/ready`).then(
    (answer) => answer.ok,
    () => false,
  );
}

function wasRefused(error: unknown): boolean {
  const cause = error instanceof Error ? error.cause : undefined;
  return cause instanceof Error && "code" in cause && cause.code === "ECONNREFUSED";
}
