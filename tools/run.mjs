// The entry point: `npm start`, `npm test` and the other scripts all use it. It runs on any Node (20 or newer),
// installs missing packages into this folder and nowhere else, then hands over to the Node 24 that was installed, which
// runs the TypeScript sources directly.
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { preparePrograms } from "./programs.mjs";

const pnpmVersion = "12.21.0";
const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const cache = path.join(root, ".cache");
const stamp = path.join(root, "node_modules", ".installed-from");
const installedNode = path.join(root, "node_modules", ".bin", "node");

const scripts = {
  start: "apps/standalone/src/main.ts",
  backup: "apps/standalone/src/backup/back-up.ts",
  restore: "apps/standalone/src/backup/restore.ts",
  test: "tools/verify.ts",
  bench: "bench/src/main.ts",
  chaos: "tests/chaos/src/main.ts",
  attack: "tests/attack/src/main.ts",
  fuzz: "tools/fuzz.ts",
  "dead-letters": "tools/dead-letters/main.ts",
  mutants: "tools/mutants/main.ts",
  screens: "tools/screens.ts",
  proof: "tools/proof.ts",
  "image-proof": "tools/image-proof/main.ts",
  "compose-check": "tools/compose-check/main.ts",
  generate: "tools/generate.ts",
  "helm-check": "tools/helm/check.ts",
  "helm-proof": "tools/helm/proof.ts",
  "packages-check": "tools/packages/main.ts",
  "newest-clients": "tools/newest-clients/main.ts",
};

/** Scripts that start the standalone or services, which are bundled for them. */
const startsPrograms = new Set(["start", "test", "bench", "chaos", "attack", "proof", "screens"]);

/** Scripts that need neither test nor check tools. On a fresh clone they install about half of the packages. */
const needsProductOnly = new Set(["start", "backup", "restore", "dead-letters"]);

const [name, ...args] = process.argv.slice(2);
const script = scripts[name];
if (script === undefined) fail(`Say what to run: ${Object.keys(scripts).join(", ")}.`);

const [major] = process.versions.node.split(".").map(Number);
if (major < 20) fail(`Node ${process.versions.node} is too old; install Node 20 or newer.`);

await install();
await handOver(await findPrograms());

/** Installs once per lock file, and once more when a script first needs all packages; a second start computes only a hash. */
async function install() {
  const lock = createHash("sha256")
    .update(readFileSync(path.join(root, "pnpm-lock.yaml")))
    .update(readFileSync(path.join(root, "pnpm-workspace.yaml")))
    .digest("hex");
  const [installedLock, installedScope] = existsSync(stamp) ? readFileSync(stamp, "utf8").split(" ") : [];
  // Test tools that were installed once are kept up to date: a start does not remove them.
  const scope = needsProductOnly.has(name) && installedScope !== "all" ? "product" : "all";
  if (installedLock === lock && (installedScope === scope || installedScope === "all")) return;
  console.log("Installing dependencies into this folder (about 25 s the first time) ...");
  const started = Date.now();
  try {
    mkdirSync(cache, { recursive: true });
  } catch (error) {
    fail(`Cannot write to ${root}: ${error.message}. Run this from a folder you own.`);
  }
  const code = await run(
    "npx",
    [
      ...["--yes", `pnpm@${pnpmVersion}`, "install", "--frozen-lockfile", "--reporter=append-only"],
      ...(scope === "product" ? ["--prod"] : []),
    ],
    {
      // npx would put pnpm into HOME, which may be read-only or on another filesystem.
      npm_config_cache: path.join(cache, "npm"),
      // Without a terminal pnpm asks nothing; with CI unset it might.
      CI: "true",
    },
  );
  if (code !== 0) {
    fail(
      "The installation failed; the lines above say why. It needs about 900 MB in this folder and a reachable npm registry. Run the command again: it goes on where it stopped.",
    );
  }
  writeFileSync(stamp, `${lock} ${scope}`);
  console.log(`Installed in ${((Date.now() - started) / 1000).toFixed(1)} s.`);
}

/** The folder with the bundled programs, for the scripts that start them. Null: none are needed, or they cannot be built. */
async function findPrograms() {
  return startsPrograms.has(name) ? preparePrograms(root, installedNode) : null;
}

/** Runs the script on the installed Node and exits with its exit code. */
async function handOver(programs) {
  const file = name === "start" && programs !== null ? path.join(programs, "standalone.js") : path.join(root, script);
  const child = spawn(installedNode, [file, ...args], {
    cwd: root,
    stdio: ["inherit", "inherit", "inherit", "ipc"],
    env: {
      ...process.env,
      PATH: `${path.join(root, "node_modules", ".bin")}${path.delimiter}${process.env.PATH}`,
      // Node's compiled sources are cached: the next start need not strip types again, nor load the compiler.
      NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE ?? path.join(cache, "node"),
      // Large buffers are returned to the system when they are freed, instead of being kept for the next ones: after a
      // burst of large bodies a standalone keeps 130 MB less. The same is in deploy/Dockerfile.
      MALLOC_ARENA_MAX: process.env.MALLOC_ARENA_MAX ?? "2",
      MALLOC_MMAP_THRESHOLD_: process.env.MALLOC_MMAP_THRESHOLD_ ?? "131072",
      MALLOC_TRIM_THRESHOLD_: process.env.MALLOC_TRIM_THRESHOLD_ ?? "1048576",
      // V8 has four threads that collect garbage, on two processors as well: there they would keep the event loop waiting.
      NODE_OPTIONS: `${process.env.NODE_OPTIONS ?? ""} --v8-pool-size=${Math.min(4, availableParallelism())}`.trim(),
      // Where tests and benches find the programs to start.
      ...(programs !== null && { TOUCHSTONE_PROGRAMS: programs }),
      // The user's working directory, for relative paths among the arguments and settings.
      INIT_CWD: process.env.INIT_CWD ?? process.cwd(),
    },
  });
  // Ctrl-C reaches the whole process group, the child included; a signal sent to this process alone is forwarded.
  process.on("SIGINT", () => {});
  process.on("SIGTERM", () => child.kill("SIGTERM"));
  process.on("SIGHUP", () => child.kill("SIGTERM"));
  // npm killed with -9 forwards nothing. The child watches its end of the IPC channel to detect the same for this
  // process.
  const parent = process.ppid;
  setInterval(() => {
    if (process.ppid !== parent) child.kill("SIGTERM");
  }, 500).unref();
  child.once("error", (error) => fail(`Cannot run ${installedNode}: ${error.message}. Is this Linux on x64?`));
  child.once("exit", (code, signal) => process.exit(code ?? (signal === "SIGINT" ? 130 : 1)));
}

function run(command, commandArgs, environment) {
  return new Promise((resolve) => {
    const child = spawn(command, commandArgs, {
      cwd: root,
      stdio: ["ignore", "inherit", "inherit"],
      env: { ...process.env, ...environment },
    });
    child.once("error", () => resolve(1));
    child.once("exit", (code) => resolve(code ?? 1));
  });
}

function fail(message) {
  console.error(message);
  process.exit(1);
}
