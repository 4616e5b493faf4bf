/**
 * `node libs/bus/src/dead-letters/main.ts list`, in the container of a service: its dead letters, with the settings of
 * the service. `npm run dead-letters` also finds a standalone.
 */
import { ConfigError } from "@touchstone/service-kit";
import { readLogin } from "../connection.ts";
import { runDeadLetterCommand, servicesOfUser } from "../dead-letter-command.ts";

try {
  const login = readLogin(process.env);
  if (login === null) throw new ConfigError(["SERVICE_NATS_URL: it is required here"]);
  const logins = servicesOfUser(login.user).map((service) => ({ ...login, service }));
  process.exitCode = await runDeadLetterCommand(process.argv.slice(2), {
    logins,
    print: (line) => process.stdout.write(`${line}\n`),
  });
} catch (error) {
  if (!(error instanceof ConfigError)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 2;
}
