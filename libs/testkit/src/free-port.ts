import { createPortFinder } from "@touchstone/embedded-servers";

const workerPorts = 1_000;
const workersMax = 14;
/** Where `npm test` has two runs side by side, the second counts its workers from another number. */
const firstWorker = Number(process.env.TOUCHSTONE_FIRST_WORKER ?? 0);
const worker = (firstWorker + Number(process.env.VITEST_POOL_ID ?? 0)) % workersMax;

/** A free port for a process that starts later or restarts: no other worker of the tests gets it. */
export const findFreePort = createPortFinder({ first: 10_000 + worker * workerPorts, count: workerPorts });
