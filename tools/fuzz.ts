/**
 * `npm run fuzz -- --minutes 10`: runs the unit tests with generated values, each round with another seed, until the
 * time is over or a test fails. `-- --seed 17 --rounds 1` runs one seed again.
 */
import { spawn } from "node:child_process";
import { readFile } from "node:fs/promises";
import path from "node:path";
import { parseArgs } from "node:util";
import { repositoryFiles, repositoryRoot } from "./repository-files.ts";

const { values } = parseArgs({
  options: {
    minutes: { type: "string", default: "10" },
    seed: { type: "string", default: String(Date.now() % 1_000_000) },
    rounds: { type: "string", default: "1000000" },
  },
});
const [minutes, firstSeed, rounds] = [values.minutes, values.seed, values.rounds].map(Number) as [
  number,
  number,
  number,
];
if (!(minutes > 0 && minutes <= 24 * 60 && rounds >= 1 && Number.isInteger(firstSeed))) {
  console.error("--minutes takes up to 1440, --rounds a positive number, --seed an integer.");
  process.exit(1);
}

const files = await listGenerating();
const deadline = Date.now() + minutes * 60_000;
let done = 0;
let hasFailed = false;
for (let seed = firstSeed; Date.now() < deadline && done < rounds && !hasFailed; seed += 1) {
  hasFailed = !(await passes(seed));
  done += 1;
  console.log(hasFailed ? `FAILED with seed ${seed}.` : `seed ${seed}: passed`);
}
console.log(`rounds: ${done}, of ${files.length} files each`);
process.exit(hasFailed ? 1 : 0);

/** The unit tests that use fast-check. */
async function listGenerating(): Promise<string[]> {
  const tests = (await repositoryFiles()).filter((file) => /(?<!\.infra)\.test\.ts$/.test(file));
  const texts = await Promise.all(tests.map((file) => readFile(path.join(repositoryRoot, file), "utf8")));
  return tests.filter((_, index) => /\bfc\.(assert|sample)\(/.test(texts[index] as string));
}

function passes(seed: number): Promise<boolean> {
  return new Promise((resolve) => {
    const child = spawn("vitest", ["run", "--project", "unit", "--reporter=dot", ...files], {
      cwd: repositoryRoot,
      env: { ...process.env, TOUCHSTONE_FUZZ_SEED: String(seed) },
      stdio: ["ignore", "pipe", "inherit"],
    });
    const output: Buffer[] = [];
    child.stdout.on("data", (chunk: Buffer) => output.push(chunk));
    child.once("close", (code) => {
      if (code !== 0) process.stdout.write(Buffer.concat(output));
      resolve(code === 0);
    });
  });
}
