import { Client, type QueryConfig } from "pg";

/**
 * Loaded before a service (`node --import`), for tests of row-level security alone: on SIGUSR2 the connections of the
 * roles that serve requests forget to name the project, on the next one they remember. Nothing in the services knows.
 *
 * Left as they are: auth, whose rows are the projects themselves, and the roles for maintenance, which row-level security
 * does not bind.
 */
const scopedRole = /role=touchstone_(?!auth_)\w+_app\b/;
const comparedWithParameter = /(?:\w+\.)?\bproject_id = \$(\d+)(?:::uuid)?(?!\w)/g;
const comparedInJoin = /\b\w+\.project_id = \w+\.project_id\b/g;

let isRemoving = false;
let changes = 0;

/** The statement without its project: the parameter keeps its type, so that nothing else about it changes. */
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
  // A prepared statement is known by its name, and this is another one.
  const name = statement.name === undefined ? {} : { name: `${statement.name}, any project`.slice(-63) };
  return original.call(this, { ...statement, ...name, text }, ...rest);
} as typeof Client.prototype.query;

process.on("SIGUSR2", () => {
  isRemoving = !isRemoving;
  changes += 1;
  process.stdout.write(`${isRemoving ? "scope removed" : "scope restored"} (${changes})\n`);
});
