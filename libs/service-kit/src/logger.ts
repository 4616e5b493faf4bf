import { type DestinationStream, type Logger as PinoLogger, pino } from "pino";

/** The logger every part takes. Constant text, facts as fields; `error` takes an `err` field with the thrown value. */
export type Logger = PinoLogger;

/** JSON lines on standard output (or `destination`), each with the service's name. */
export function createLogger(options: { service: string; level: string }, destination?: DestinationStream): Logger {
  return pino(
    {
      level: options.level,
      base: { service: options.service },
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      // A second line of defence only: no code of ours puts these into a log line.
      redact: [
        "apiKey",
        "password",
        "authorization",
        "*.apiKey",
        "*.password",
        "*.authorization",
        'headers["x-api-key"]',
      ],
    },
    destination ?? pino.destination({ dest: 1, sync: false }),
  );
}
