import { readFile } from "node:fs/promises";
import path from "node:path";
import { repositoryRoot } from "../repository-files.ts";

/**
 * `deploy/postgres-init.sql` as one text for the wire: psql's own commands executed, and its variables quoted as psql
 * quotes them. `read` replaces the environment.
 */
export async function readInitialStatements(read: (variable: string) => string): Promise<string> {
  const script = await readFile(path.join(repositoryRoot, "deploy/postgres-init.sql"), "utf8");
  const variables = new Map(
    [...script.matchAll(/^\\getenv (\w+) (\w+)$/gm)].map(([, name = "", variable = ""]) => [name, variable]),
  );
  return script.replaceAll(/^\\getenv .*$/gm, "").replaceAll(/:'(\w+)'/g, (_whole, name: string) => {
    const variable = variables.get(name);
    if (variable === undefined) throw new Error(`${name} has no \\getenv.`);
    return `'${read(variable).replaceAll("'", "''")}'`;
  });
}
