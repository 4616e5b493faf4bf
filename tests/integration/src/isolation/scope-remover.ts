import { Client, type QueryConfig } from "pg";

/**
 * Loaded before the services (`node --import`) to test row-level security alone: SIGUSR2 makes the connections of the
 * serving roles omit the project from statements, and the next SIGUSR2 restores it. The services contain no code for
 * this.
 *
 * Unaffected: auth, whose rows are the projects themselves, and the maintenance roles, which row-level security does
 * not bind.
 */
const scopedRole = /role=touchstone_(?!auth_)\w+_app\b/;
const comparedWithParameter = /(?:\w+\.)?\bproject_id = \$(\d+)(?:::uuid)?(?!\w)/g;
const comparedInJoin = /\b\w+\.project_id = \w+\.project_id\b/g;

let isRemoving = false;
let changes = 0;

/** The statement without its project condition; the parameter keeps its type, so that the rest is unchanged. */
export function removeScope(text: string): string {
  return text
    .replace(comparedWithParameter, (_match, parameter: string) => `($${parameter}::uuid is not null)`)
    .replace(comparedInJoin, "true");
}

interface Connected {
  connectionParameters: { options?: string };
}

const original = Client.prototype.query as (this: unknown, ...given: unknown[]) => unknown;
Client.prototype.query = function query(this: Client & Connected, config: unknown, ...rest: unknown[]) {
  const options = this.connectionParameters.options ?? "";
  const statement = config as QueryConfig;
  if (!isRemoving || typeof statement?.text !== "string" || !scopedRole.test(options)) {
    return original.call(this, config, ...rest);
  }
  const text = removeScope(statement.text);
  if (text === statement.text) return original.call(this, config, ...rest);
  // Prepared statements are identified by name, and this is a different statement.
  const name = statement.name === undefined ? {} : { name: `${statement.name}, any project`.slice(-63) };
  return original.call(this, { ...statement, ...name, text }, ...rest);
} as typeof Client.prototype.query;

process.on("SIGUSR2", () => {
  isRemoving = !isRemoving;
  changes += 1;
  process.stdout.write(`${isRemoving ? "scope removed" : "scope restored"} (${changes})\n`);
});
