import path from "node:path";

const repository = path.resolve(import.meta.dirname, "../../..");

/**
 * The file that starts a program, which is "standalone" or the name of a service: the bundle that the launcher (`tools/run.mjs`) prepared and that users run, otherwise the source,
 * for a test that is run by itself.
 */
export function programFile(name: string): string {
  const bundles = process.env.TOUCHSTONE_PROGRAMS;
  return bundles === undefined ? programSource(name) : path.join(bundles, `${name}.js`);
}

/**
 * The source of a program: for a loader, which replaces modules and finds none in a bundle, or in another version of the repository
 * at `root`.
 */
export function programSource(name: string, root = repository): string {
  return name === "standalone"
    ? path.join(root, "apps/standalone/src/main.ts")
    : path.join(root, "services", name, "src/main.ts");
}
