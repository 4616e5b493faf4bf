import path from "node:path";

const repository = path.resolve(import.meta.dirname, "../../..");

/**
 * The file that starts a program, which is "standalone" or the name of a service: the bundle that the launcher
 * (`tools/run.mjs`) prepared and that users run; in a test that is run by itself, the source.
 */
export function programFile(name: string): string {
  const bundles = process.env.TOUCHSTONE_PROGRAMS;
  return bundles === undefined ? programSource(name) : path.join(bundles, `${name}.js`);
}

/**
 * The source of a program, here or in the version of the repository at `root`. A loader needs it: it replaces modules, and a
 * bundle has none.
 */
export function programSource(name: string, root = repository): string {
  return name === "standalone"
    ? path.join(root, "apps/standalone/src/main.ts")
    : path.join(root, "services", name, "src/main.ts");
}
