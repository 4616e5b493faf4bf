import { EmbeddedServerError, type ServerEvent } from "@touchstone/embedded-servers";
import { expect, test } from "vitest";
import { createServerReport } from "../src/report-server-events.ts";

const killed = new EmbeddedServerError("server_failed", "nats-server was killed.", { hint: "See dmesg." });
const full = new EmbeddedServerError("disk_full", "PostgreSQL did not start because the disk is full.", {
  hint: "Free some space.",
});
const died: ServerEvent = { kind: "died", error: killed, restartInMs: 100 };
const failed: ServerEvent = { kind: "restart_failed", error: full, restartInMs: 100 };
const restarted: ServerEvent = { kind: "restarted", pid: 1, downMs: 130 };

function startReport() {
  const lines: string[] = [];
  const clock = { ms: 0 };
  return { lines, clock, report: createServerReport({ write: (line) => lines.push(line), nowMs: () => clock.ms }) };
}

test("a server that dies and comes back is two lines, with the cause and the duration of the outage", () => {
  const { lines, report } = startReport();
  report("nats-server", died);
  report("nats-server", restarted);
  expect(lines).toEqual(["nats-server was killed. See dmesg. Starting it again.", "nats-server is back after 0.1 s."]);
});

test("a server that dies again and again is reported once a minute, with a count", () => {
  const { lines, clock, report } = startReport();
  for (let second = 0; second <= 60; second += 5) {
    clock.ms = second * 1000;
    report("nats-server", died);
    report("nats-server", restarted);
  }
  expect(lines).toEqual([
    "nats-server was killed. See dmesg. Starting it again.",
    "nats-server is back after 0.1 s.",
    "nats-server was killed. See dmesg. Starting it again. (12 times since this line)",
    "nats-server is back after 0.1 s.",
  ]);
});

test("the last line of a server that is back says so, though others were withheld", () => {
  const { lines, report } = startReport();
  for (const event of [failed, failed, failed, restarted]) report("PostgreSQL", event);
  for (const event of [failed, restarted]) report("PostgreSQL", event);
  expect(lines).toEqual([
    "PostgreSQL did not start because the disk is full. Free some space. Trying again until it starts.",
    "PostgreSQL is back after 0.1 s.",
  ]);
});
