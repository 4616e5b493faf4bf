import { type ScriptedLlm, startScriptedLlm } from "@touchstone/testkit";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Installation, startInstallation } from "../src/installation.ts";
import { startLiveJudging } from "../src/live-judging.ts";

const isLong = process.env.TOUCHSTONE_LONG_TESTS === "1";
const load = isLong ? { traces: 2_000, kills: 2, withinMs: 900_000 } : { traces: 120, kills: 1, withinMs: 150_000 };

let llm: ScriptedLlm;
let system: Installation;

beforeAll(async () => {
  llm = await startScriptedLlm();
  system = await startInstallation({
    evalRuns: 1,
    judges: 1,
    settings: { OPENAI_BASE_URL: llm.baseUrl, OPENAI_API_KEY: "sk-scripted" },
  });
});

afterAll(async () => {
  await system?.stop();
  await llm?.stop();
});

test("a load is processed completely through kills of monitor and of NATS: one verdict of each judge on each trace, and no extra call", async () => {
  const live = await startLiveJudging(system, llm, { judgeMs: 20 });
  const sent = await live.send(load.traces);
  const calls = load.traces * 3;
  let inFlight = 0;
  for (let kill = 0; kill < load.kills; kill += 1) {
    await sent.awaitCalls(Math.round((calls * (kill + 1)) / (load.kills + 3)));
    inFlight += llm.inFlight();
    await system.monitor.kill();
    await system.monitor.start();
  }
  await sent.awaitCalls(Math.round((calls * (load.kills + 1)) / (load.kills + 3)));
  inFlight += llm.inFlight();
  system.nats.signal("SIGKILL");
  await system.nats.exited;
  await system.nats.restart();
  await sent.awaitJudged({ timeoutMs: load.withinMs });

  process.stdout.write(`${calls} verdicts, ${sent.countCalls()} calls, ${inFlight} in flight at the kills\n`);
  expect(await sent.findFaults()).toEqual([]);
  expect(inFlight).toBeGreaterThan(0);
  expect(sent.countCalls()).toBeGreaterThanOrEqual(calls);
  expect(sent.countCalls()).toBeLessThanOrEqual(calls + inFlight);
});
