import { type DestinationStream, type Logger as PinoLogger, pino } from "pino";

/** The logger of every part. Constant text, facts as fields; `error` takes an `err` field with the thrown value. */
export type Logger = PinoLogger;

/** JSON lines on standard output (or `destination`), each with the service's name. */
export function createLogger(options: { service: string; level: string }, destination?: DestinationStream): Logger {
  return pino(
    {
      level: options.level,
      base: { service: options.service },
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      serializers: { err: describeThrown },
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
    destination ?? openStandardOutput(),
  );
}

/** Characters of log that may wait for the disk; further lines are dropped. */
const waitingCharsMax = 4 * 1024 * 1024;

/** A log that cannot be written (a full disk) loses log lines, but never stops the service. */
function openStandardOutput(): DestinationStream {
  const output = pino.destination({ dest: 1, sync: false, maxLength: waitingCharsMax });
  const flushSync = output.flushSync.bind(output);
  let isFailing = false;
  output.on("error", () => {
    isFailing = true;
  });
  output.on("write", () => {
    isFailing = false;
  });
  // At the end of the process it would retry indefinitely.
  output.flushSync = () => {
    if (!isFailing) flushSync();
  };
  return output;
}

const causesMax = 5;

/**
 * The logged parts of a thrown value: its kind, message, stack and code, and the same of its causes. Nothing else:
 * libraries attach whole clients to their errors, and PostgreSQL the values of the refused row.
 */
function describeThrown(thrown: unknown, depth = 0): unknown {
  if (!(thrown instanceof Error)) return String(thrown);
  return {
    type: thrown.name,
    message: thrown.message,
    stack: thrown.stack,
    ...("code" in thrown && { code: thrown.code }),
    ...(thrown.cause !== undefined && depth < causesMax && { cause: describeThrown(thrown.cause, depth + 1) }),
  };
}
