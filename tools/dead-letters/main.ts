/**
 * `npm run dead-letters -- list`: an operator's command for events that a service gave up. See
 * docs/operating/dead-letters.md.
 */
import { runDeadLetterCommand } from "@touchstone/bus";
import { ConfigError } from "@touchstone/service-kit";
import { findLogins, NoBusError } from "./find-logins.ts";

try {
  process.exitCode = await runDeadLetterCommand(process.argv.slice(2), {
    logins: await findLogins(process.env),
    print: (line) => process.stdout.write(`${line}\n`),
  });
} catch (error) {
  if (!(error instanceof NoBusError || error instanceof ConfigError)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}
