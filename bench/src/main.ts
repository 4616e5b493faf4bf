/**
 * `npm run bench`: what the system does on this machine, each figure beside a yardstick measured in the same run.
 * Figures of different runs or machines do not compare; ratios do. `--rounds n` and `--seconds n` change the length.
 */
import { parseArgs } from "node:util";
import { benchSingleTraces } from "./single-traces.ts";
import { benchStart } from "./start-and-memory.ts";

const { values } = parseArgs({
  options: { rounds: { type: "string", default: "5" }, seconds: { type: "string", default: "3" } },
});
const rounds = Number(values.rounds);
const seconds = Number(values.seconds);
if (!(rounds >= 1 && rounds <= 50 && seconds >= 1 && seconds <= 60)) {
  console.error("--rounds takes 1 to 50, --seconds 1 to 60.");
  process.exit(1);
}

console.log("Driver, gateway, services, PostgreSQL and nats-server share this machine's cores.\n");
await benchStart();
await benchSingleTraces({ rounds, seconds });
