/** The process that observes an installation: it runs the probe and watches the memory of the Node process. */
import { performance } from "node:perf_hooks";
import { startLoopWatch } from "./loop-watch.ts";
import { startMemoryWatch } from "./memory-watch.ts";
import type { Asked, ObserverOrder, Question } from "./observer.ts";
import { startProbe } from "./probe.ts";
import { summarise } from "./window.ts";

const { url, apiKey, pid, metricsToken } = JSON.parse(process.argv[2] as string) as ObserverOrder;
process.once("disconnect", () => process.exit());
let isPaused = false;
const probe = startProbe({ url, apiKey, isPaused: () => isPaused });
const memory = startMemoryWatch(pid);
const loop = startLoopWatch({ url, token: metricsToken, isPaused: () => isPaused });

/** Belongs to the open window. */
let [beganMs, endedMs] = [0, 0];
let beforeMb = 0;

const answers: { [Kind in Question["kind"]]: (question: Extract<Question, { kind: Kind }>) => unknown } = {
  watch: ({ pid: next }) => memory.watch(next),
  pause() {
    isPaused = true;
  },
  resume() {
    isPaused = false;
  },
  now: ({ lastMs }) => ({
    slowestMs: probe.slowestSince(performance.now() - lastMs),
    residentMb: memory.read().nowMb,
    beforeMb,
  }),
  async rememberMemory() {
    beforeMb = await memory.restart();
  },
  begin() {
    [beganMs, endedMs] = [performance.now(), Number.POSITIVE_INFINITY];
  },
  attackIsOver() {
    endedMs = performance.now();
  },
  async end() {
    const requests = await probe.requestsSince(beganMs);
    const { nowMb, peakMb } = memory.read();
    return {
      ...summarise(requests, endedMs),
      stallMs: loop.longestSince(beganMs) ?? probe.longestPingSince(beganMs),
      ownDelayMs: probe.ownDelaySince(beganMs),
      memoryMb: { before: beforeMb, peak: peakMb, after: nowMb },
    };
  },
  readBack: ({ all }) => probe.readBack(all ? 0 : beganMs),
};

process.on("message", async ({ id, question }: Asked) => {
  const answer = await answers[question.kind](question as never);
  process.send?.({ id, answer: answer ?? null });
});
