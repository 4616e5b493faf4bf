import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { busMessages, type EventContract, type ServiceName, serviceNames } from "@touchstone/contracts";
import { createLogger } from "@touchstone/service-kit";
import type { Bus, DeadLetterFate, KeptDeadLetter } from "./bus.ts";
import { connectBus } from "./connect-bus.ts";
import type { Login } from "./connection.ts";
import { durablesOf } from "./subjects.ts";

/** The NATS address and credentials of one service. */
export interface BusLogin extends Login {
  service: ServiceName;
}

export interface DeadLetterCommandOptions {
  /** The logins to use: each sees the dead letters of its own service. */
  logins: readonly BusLogin[];
  print: (line: string) => void;
  /** The messages of the installation. Default: all. */
  messages?: readonly unknown[];
  /** How long to wait for NATS. Default 5,000. */
  connectWithinMs?: number;
}

const usage = `Events that a service gave up after its tries are dead letters. See docs/operating/dead-letters.md.

  list [--consumer <name>]            all there are, the oldest first
  show <id>                           one of them, with the event
  replay <id> ... | --all [--consumer <name>]   gives them to the consumer that failed, and to no other, with new tries
  drop <id> ... | --all [--consumer <name>]     removes them for good`;

const actions = { list: "keep", show: "keep", replay: "replay", drop: "drop" } as const;
type Action = keyof typeof actions;

interface Asked {
  action: Action;
  /** Null: all. */
  ids: ReadonlySet<string> | null;
  consumer: string | null;
}

/** Runs an operator's command on dead letters. Returns the exit code: 2 for an invalid command. */
export async function runDeadLetterCommand(
  args: readonly string[],
  options: DeadLetterCommandOptions,
): Promise<number> {
  const { print } = options;
  const asked = readCommand(args);
  if (asked === null) {
    print(usage);
    return 2;
  }
  const sorted: Sorted = { letters: [], counts: { keep: 0, replay: 0, drop: 0 } };
  const problems = await Promise.all(options.logins.map((login) => sortAs(login, asked, options, sorted)));
  sorted.letters.sort((a, b) => Number(a.id) - Number(b.id));
  report(asked, sorted, print);
  if (sorted.letters.length === 0 && asked.ids === null && problems.every((problem) => problem === null)) {
    print("There are no dead letters.");
  }
  const missing = [...(asked.ids ?? [])].filter((id) => !sorted.letters.some((letter) => letter.id === id));
  const failures = new Set(problems.filter((problem) => problem !== null));
  if (failures.size === 0) for (const id of missing) failures.add(`There is no dead letter ${id}.`);
  for (const failure of failures) print(failure);
  return failures.size > 0 ? 1 : 0;
}

interface Sorted {
  /** The requested letters. */
  letters: KeptDeadLetter[];
  counts: Record<DeadLetterFate, number>;
}

function readCommand(args: readonly string[]): Asked | null {
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: { all: { type: "boolean" }, consumer: { type: "string" } },
    });
    const [action, ...ids] = positionals;
    if (action === undefined || !(action in actions)) return null;
    const consumer = values.consumer ?? null;
    if (action === "list") return ids.length === 0 ? { action, ids: null, consumer } : null;
    if (action === "show" && ids.length !== 1) return null;
    // All, or the named ones: neither by accident.
    if ((ids.length === 0) !== (values.all === true) || (ids.length > 0 && consumer !== null)) return null;
    return { action: action as Action, ids: ids.length === 0 ? null : new Set(ids), consumer };
  } catch {
    return null;
  }
}

/** Runs the command on the letters of one service. Returns the reason if it failed. */
async function sortAs(
  login: BusLogin,
  { action, ids, consumer }: Asked,
  { messages = busMessages, connectWithinMs = 5_000 }: DeadLetterCommandOptions,
  sorted: Sorted,
): Promise<string | null> {
  const bus = connectBus({ ...login, logger: createLogger({ service: login.service, level: "silent" }) });
  try {
    if (!(await isConnected(bus, connectWithinMs))) return `NATS cannot be reached at ${describeAddress(login.url)}.`;
    for (const contract of (messages as readonly EventContract[]).filter(isKept)) {
      for (const durable of durablesOf(contract, login.service)) {
        if (consumer !== null && durable !== consumer) continue;
        const fates = await bus.sortDeadLetters(contract, durable, (letter) => {
          if (ids !== null && !ids.has(letter.id)) return "keep";
          sorted.letters.push(letter);
          return actions[action];
        });
        for (const fate of ["keep", "replay", "drop"] as const) sorted.counts[fate] += fates[fate];
      }
    }
    return null;
  } catch (error) {
    return `The dead letters of ${login.service} cannot be read: ${error instanceof Error ? error.message : error}.`;
  } finally {
    await bus.drain();
  }
}

/** A listener has no durable consumer that could fail. */
const isKept = (message: EventContract): boolean => message.kind === "event" && message.durables !== undefined;

async function isConnected(bus: Bus, withinMs: number): Promise<boolean> {
  const deadline = performance.now() + withinMs;
  while (bus.status() !== "connected") {
    if (performance.now() > deadline) return false;
    await sleep(20);
  }
  return true;
}

/** Without the password it may contain. */
const describeAddress = (url: string): string =>
  url
    .split(",")
    .map((each) => new URL(each.trim()).host)
    .join(", ");

function report({ action }: Asked, { letters, counts }: Sorted, print: (line: string) => void): void {
  for (const letter of letters) {
    const tries = letter.attempts === 1 ? "1 try" : `${letter.attempts} tries`;
    print(`${letter.id}  ${letter.diedAt}  ${letter.durable}  ${letter.subject}  ${tries}  ${letter.messageId}`);
    print(`    ${letter.reason}`);
    if (action === "show") print(indent(letter.body));
  }
  if (counts.replay > 0) print(`Replayed: ${counts.replay}. What fails again is a dead letter again, with a new id.`);
  if (counts.drop > 0) print(`Removed: ${counts.drop}.`);
}

function indent(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), null, 2);
  } catch {
    return body;
  }
}

/** The services a NATS user may be, by its name; all of them where there are no users. */
export function servicesOfUser(user: string | undefined): readonly ServiceName[] {
  const own = serviceNames.filter((service) => service === user);
  return own.length > 0 ? own : serviceNames;
}
