/**
 * `node libs/bus/src/dead-letters/main.ts list`, in the container of a service: its dead letters, with the settings of
 * the service. `npm run dead-letters` also finds a standalone.
 */
import { ConfigError, loadSettings, natsSettings, readNatsConfig } from "@touchstone/service-kit";
import { runDeadLetterCommand, servicesOfUser } from "../dead-letter-command.ts";

try {
  const { values } = loadSettings(natsSettings, process.env);
  if (values.SERVICE_NATS_URL === undefined) throw new ConfigError(["SERVICE_NATS_URL: it is required here"]);
  const nats = readNatsConfig(values.SERVICE_NATS_URL, values);
  const logins = servicesOfUser(nats.user).map((service) => ({ ...nats, service, password: nats.password?.reveal() }));
  process.exitCode = await runDeadLetterCommand(process.argv.slice(2), {
    logins,
    print: (line) => process.stdout.write(`${line}\n`),
  });
} catch (error) {
  if (!(error instanceof ConfigError)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 2;
}
