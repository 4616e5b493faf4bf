/**
 * `npm run proof`: what takes too long for `npm test`. Long faults on real installations, the chart on real Kubernetes API
 * servers, and the image as containers. Runs everything, and then fails if one part failed. `-- faults image` runs parts.
 */
import { spawnSync } from "node:child_process";
import { repositoryRoot } from "./repository-files.ts";

const parts = {
  faults: ["vitest", "run", "--project", "proof"],
  chart: ["node", "tools/helm/check.ts"],
  kubernetes: ["node", "tools/helm/proof.ts"],
  compose: ["node", "tools/compose-check/main.ts"],
  image: ["node", "tools/image-proof/main.ts", "--rounds", "20"],
} as const;

const wanted = process.argv.slice(2);
const unknown = wanted.filter((name) => !(name in parts));
if (unknown.length > 0) {
  console.error(`There is no part ${unknown.join(", ")}; there are ${Object.keys(parts).join(", ")}.`);
  process.exit(2);
}
const outcomes = Object.entries(parts)
  .filter(([name]) => wanted.length === 0 || wanted.includes(name))
  .map(([name, [command, ...args]]) => {
    console.log(`\n--- ${name}`);
    const startedMs = performance.now();
    const { status } = spawnSync(command, args, { cwd: repositoryRoot, stdio: "inherit" });
    return { name, isOk: status === 0, seconds: Math.round((performance.now() - startedMs) / 1_000) };
  });
console.log("");
for (const { name, isOk, seconds } of outcomes) console.log(`${name}: ${isOk ? "ok" : "FAILED"} (${seconds} s)`);
process.exitCode = outcomes.every(({ isOk }) => isOk) ? 0 : 1;
