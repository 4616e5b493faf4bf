/**
 * `node libs/bus/src/dead-letters/main.ts list`, in the container of a service: its dead letters, with the settings of
 * the service. `npm run dead-letters` also finds a standalone.
 */
import { ConfigError, loadSettings } from "@touchstone/service-kit";
import { runDeadLetterCommand, servicesOfUser } from "../dead-letter-command.ts";

try {
  const { values } = loadSettings(["SERVICE_NATS_URL", "SERVICE_NATS_USER", "SERVICE_NATS_PASSWORD"], process.env);
  const { SERVICE_NATS_URL: url, SERVICE_NATS_USER: user, SERVICE_NATS_PASSWORD: password } = values;
  if (url === undefined) throw new ConfigError(["SERVICE_NATS_URL: it is required here"]);
  const logins = servicesOfUser(user).map((service) => ({ service, url, user, password: password?.reveal() }));
  process.exitCode = await runDeadLetterCommand(process.argv.slice(2), {
    logins,
    print: (line) => process.stdout.write(`${line}\n`),
  });
} catch (error) {
  if (!(error instanceof ConfigError)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 2;
}
