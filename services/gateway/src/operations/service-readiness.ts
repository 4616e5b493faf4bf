import { readiness } from "@touchstone/contracts";
import type { Readiness } from "@touchstone/service-kit";
import { Agent, request } from "undici";

export interface ServiceReadiness {
  /** Asks every service at once; a service is ready when one of its replicas is. Takes at most a second. */
  check(): Promise<Readiness>;
  close(): Promise<void>;
}

const deadlineMs = 1_000;

/** Composes `/health/ready` of the services behind into one answer: `ok`, or a short reason, for each by name. */
export function createServiceReadiness(services: Readonly<Record<string, readonly string[]>>): ServiceReadiness {
  const dispatcher = new Agent({ connections: 4, connect: { timeout: deadlineMs } });

  async function askReplica(origin: string): Promise<string> {
    try {
      const answer = await request(`${origin}/health/ready`, { dispatcher, signal: AbortSignal.timeout(deadlineMs) });
      const { checks } = readiness.parse(await answer.body.json());
      if (answer.statusCode === 200) return "ok";
      return Object.entries(checks)
        .filter(([, state]) => state !== "ok")
        .map(([part, state]) => `${part}: ${state}`)
        .join("; ");
    } catch {
      return "does not answer";
    }
  }

  return {
    async check() {
      const checks = await Promise.all(
        Object.entries(services).map(async ([name, origins]): Promise<[string, string]> => {
          const states = await Promise.all(origins.map((origin) => askReplica(origin.replace(/\/$/, ""))));
          return [name, states.find((state) => state === "ok") ?? states[0] ?? "has no address"];
        }),
      );
      return { ready: checks.every(([, state]) => state === "ok"), checks: Object.fromEntries(checks) };
    },
    close: () => dispatcher.destroy(),
  };
}
