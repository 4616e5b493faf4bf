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
      const refusing = new Set<string>();
      for (;;) {
        turn += 1;
        // The last check may be old: a gateway that refused this request is not tried again.
        const untried = gateways.filter((gateway) => !refusing.has(gateway));
        const usable = untried.filter((gateway) => ready.includes(gateway));
        const candidates = usable.length > 0 ? usable : untried;
        const gateway = candidates[turn % candidates.length] as string;
        try {
          return await fetch(`${gateway}${path}`, init);
        } catch (error) {
          refusing.add(gateway);
          if (untried.length === 1 || !wasRefused(error)) throw error;
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
