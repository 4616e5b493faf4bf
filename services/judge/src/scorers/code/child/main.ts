import { closeSync } from "node:fs";
import { dropUser } from "./drop-user.ts";
import { evaluate } from "./evaluate.ts";
import { createFrameReader, encodeFrame } from "./frames.ts";
import { loadInterpreters } from "./interpreter.ts";
import { readyFrame, type SandboxArgument } from "./protocol.ts";

/**
 * The process in which code scorers run. The judge starts it confined (see start-confined.ts), sends programs on its standard
 * input, one at a time, and reads outcomes from its standard output. It exits when its input ends, as it does when the judge
 * exits.
 */

const { strayFds, becomes, ...limits } = JSON.parse(process.argv[2] ?? "") as SandboxArgument;
for (const fd of strayFds) closeSync(fd);

const makeInterpreter = loadInterpreters(limits.memoryBytes);
// A program larger than an interpreter's memory need not be read.
const readFrames = createFrameReader(limits.memoryBytes);
let next = makeInterpreter();

async function answer(program: string): Promise<void> {
  const outcome = evaluate(await next, program, limits);
  // The next interpreter is created while no request waits.
  process.stdout.write(encodeFrame(JSON.stringify(outcome)), () => {
    next = makeInterpreter();
  });
}

await next;
// All code is loaded, so the new user needs no access to it; no program has been read yet.
if (becomes !== null) dropUser(becomes);
process.stdin.on("data", (chunk) => {
  for (const program of readFrames(chunk)) void answer(program);
});
process.stdin.on("end", () => process.exit());
process.stdout.write(encodeFrame(readyFrame));
