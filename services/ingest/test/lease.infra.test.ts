import { expect, test } from "vitest";
import { createLease, type Lease } from "../src/background/lease.ts";
import { silentLogger, useIngestDatabase } from "./ingest-database.ts";
import { until } from "./running-ingest.ts";

const database = useIngestDatabase();

function ask(name: string, { isDead = (): boolean => false } = {}): Lease & { acquired: number } {
  const asked = { acquired: 0 };
  const lease = createLease({
    database: {
      ...database.maintenance,
      // A replica that died, or that PostgreSQL cannot be reached from.
      query: (statement) =>
        isDead() ? Promise.reject(new Error("not reachable")) : database.maintenance.query(statement),
    },
    name,
    logger: silentLogger,
    onAcquired: () => {
      asked.acquired += 1;
    },
  });
  return Object.assign(asked, lease);
}

test("one of several holds it, and another gets it as soon as it is given up", async () => {
  const first = ask("given-up");
  await until(async () => first.isHeld());
  const second = ask("given-up");
  await first.stop();

  await until(async () => second.isHeld());
  expect([first.isHeld(), second.acquired]).toEqual([false, 1]);
  await second.stop();
});

test("a holder that cannot renew it stops holding it, and is followed", async () => {
  let isDead = false;
  const first = ask("died", { isDead: () => isDead });
  await until(async () => first.isHeld());
  const second = ask("died");
  isDead = true;

  await until(async () => second.isHeld());
  expect([first.isHeld(), first.acquired, second.acquired]).toEqual([false, 1, 1]);
  await Promise.all([first.stop(), second.stop()]);
});
