import { expect, onTestFinished, test } from "vitest";
import { startTestGateway, type TestGateway } from "./test-gateway.ts";

async function readHealth(gateway: TestGateway): Promise<{ status: number; body: unknown }> {
  const answer = await fetch(`${gateway.url}/health/ready`);
  return { status: answer.status, body: await answer.json() };
}

test.each([
  ["ahead of", 600_000],
  ["behind", -600_000],
])(
  "a gateway whose clock is ten minutes %s the services' is not ready, and says so in one line",
  async (side, offsetMs) => {
    const readiness = { ingest: { ready: true, checks: { clock: "ok" } } };
    const gateway = await startTestGateway({ readiness, clock: { now: () => Date.now() + offsetMs } });
    onTestFinished(() => gateway.stop());
    const sentence = `The clock of this process is 600 s ${side} that of the services.`;

    for (const answer of [await readHealth(gateway), await readHealth(gateway)]) {
      expect(answer.status).toBe(503);
      expect(answer.body).toEqual({
        status: "not_ready",
        checks: { database: "ok", telemetry: "ok", clock: sentence },
      });
    }
    expect(gateway.log.filter(({ clock }) => clock === sentence)).toHaveLength(1);

    // A service that differs from PostgreSQL does not count.
    readiness.ingest = {
      ready: false,
      checks: { clock: "The clock of this process is 600 s behind that of PostgreSQL." },
    };
    const { body } = await readHealth(gateway);
    expect(body).toMatchObject({ checks: { database: "ok" } });
    expect(body).not.toHaveProperty("checks.clock");
  },
);
