import { createPortFinder } from "@touchstone/embedded-servers";

const workerPorts = 1_000;
const workersMax = 14;
const worker = Number(process.env.VITEST_POOL_ID ?? 0) % workersMax;

/** A free port for a process that starts later or restarts: no other worker of this test run gets it. */
export const findFreePort = createPortFinder({ first: 10_000 + worker * workerPorts, count: workerPorts });
