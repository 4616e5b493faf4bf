import { clockHeader, readiness } from "@touchstone/contracts";
import {
  aheadBy,
  type Clock,
  createClockJudge,
  type Logger,
  type Readiness,
  type ReplicaSet,
} from "@touchstone/service-kit";
import { Agent, request } from "undici";

export interface ServiceReadiness {
  /**
   * Asks all replicas of all services in parallel; a service is ready if one of its replicas is. The gateway has a check
   * `clock` if its clock differs from those of the services that agree with PostgreSQL's. Takes about a second at most.
   */
  check(): Promise<Readiness>;
  close(): Promise<void>;
}

/** The parts of `/health/ready` (completions 1.1), and the services whose stores each covers. */
const parts = { database: ["auth", "eval-runs", "monitor"], telemetry: ["ingest"] } as const;

type AskedService = (typeof parts)[keyof typeof parts][number];

const deadlineMs = 1_000;

/** How long after its start a gateway waits for monitor. */
const monitorAwaitedMs = 30_000;

/**
 * Composes the readiness of the services into one answer: `ok`, or which service is not ready and why, for each part.
 * Monitor is required until it was ready once: a starting installation is ready when all of it is; if monitor is
 * unavailable later, or when a gateway restarts, traces are still accepted.
 */
export function createServiceReadiness(
  services: Readonly<Record<AskedService, ReplicaSet>>,
  { clock, logger }: { clock: Clock; logger: Logger },
): ServiceReadiness {
  const judgeClock = createClockJudge({ logger });
  const monitorAwaitedUntil = clock.now() + monitorAwaitedMs;
  let isMonitorAwaited = true;
  const dispatcher = new Agent({ connections: 4, connect: { timeout: deadlineMs } });

  async function askReplica(origin: string, host: string, differences: number[]): Promise<string> {
    try {
      const beforeMs = clock.now();
      const answer = await request(`${origin}/health/ready`, {
        dispatcher,
        headers: { host },
        signal: AbortSignal.timeout(deadlineMs),
      });
      const { checks } = readiness.parse(await answer.body.json());
      const otherMs = Number(answer.headers[clockHeader] ?? Number.NaN);
      if (checks.clock === "ok" && Number.isFinite(otherMs)) {
        differences.push(aheadBy({ beforeMs, otherMs, afterMs: clock.now() }));
      }
      if (answer.statusCode === 200) return "ok";
      const wrong = Object.entries(checks).filter(([, state]) => state !== "ok");
      return wrong.map(([what, state]) => `${what}: ${state}`).join("; ");
    } catch {
      return "does not answer";
    }
  }

  async function askMonitor(differences: number[]): Promise<string> {
    if (!isMonitorAwaited) return "ok";
    const state = await askService("monitor", differences);
    if (state === "ok" || clock.now() >= monitorAwaitedUntil) isMonitorAwaited = false;
    return isMonitorAwaited ? state : "ok";
  }

  async function askService(service: AskedService, differences: number[]): Promise<string> {
    const replicas = await services[service].list();
    const states = await Promise.all(replicas.map(({ origin, host }) => askReplica(origin, host, differences)));
    return states.find((state) => state === "ok") ?? states[0] ?? "has no address";
  }

  async function askPart(
    [part, names]: [string, readonly AskedService[]],
    differences: number[],
  ): Promise<[string, string]> {
    const ask = (name: AskedService) => (name === "monitor" ? askMonitor(differences) : askService(name, differences));
    const states = await Promise.all(names.map(async (name) => ({ name, state: await ask(name) })));
    const wrong = states.filter(({ state }) => state !== "ok").map(({ name, state }) => `${name}: ${state}`);
    return [part, wrong.join("; ") || "ok"];
  }

  return {
    async check() {
      const differences: number[] = [];
      const checks = await Promise.all(Object.entries(parts).map((part) => askPart(part, differences)));
      // Any service may be the one that differs; the gateway is if it differs from all.
      const [least = 0] = differences.toSorted((one, other) => Math.abs(one) - Math.abs(other));
      const state = judgeClock(least, "the services");
      if (state !== "ok") checks.push(["clock", state]);
      return { ready: checks.every(([, state]) => state === "ok"), checks: Object.fromEntries(checks) };
    },
    close: () => dispatcher.destroy(),
  };
}
