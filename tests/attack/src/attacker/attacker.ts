import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import path from "node:path";
import { nodeEnvironment } from "../../../integration/src/service-process.ts";
import type { Address } from "../tenants.ts";
import type { AttackNotes } from "./tally.ts";

/** The messages to the attacker's process. */
export interface AttackOrder {
  name: string;
  address: Address;
  /** The Node process of the installation. */
  pid: number;
  seed: number;
  /** The share of the full counts and sizes, above 0 and up to 1. */
  share: number;
  seconds: number;
}

/** Messages from it. The complaints of `unprepared` say why the attack cannot start. */
export interface AttackProgress {
  kind: "prepared" | "unprepared" | "done";
  notes: AttackNotes;
  /** The projects that it has created. */
  projectIds: string[];
}

/** An attack that is over. */
export type EndedAttack = Omit<AttackProgress, "kind">;

/** A process with an attack that is ready to start. */
export interface Attacker {
  /** Runs the attack, unless it could not be prepared. Resolves when it is over or its process had to be killed. */
  attack(): Promise<EndedAttack>;
  /** Ends the process if it is still running. */
  kill(): void;
}

const prepareMaxMs = 180_000;
/** How long an attack may take to end after its time is over. */
const graceMs = 20_000;
const heapMb = 1_536;

/** Starts an attacker and resolves when it is prepared, or cannot be. */
export async function startAttacker(order: AttackOrder): Promise<Attacker> {
  const child = fork(path.join(import.meta.dirname, "process.ts"), [JSON.stringify(order)], {
    execArgv: [`--max-old-space-size=${heapMb}`],
    env: { ...process.env, ...nodeEnvironment },
    stdio: ["ignore", "inherit", "inherit", "ipc"],
  });
  const kill = (): void => void child.kill("SIGKILL");
  const prepared = await nextProgress(child, prepareMaxMs);
  if (prepared?.kind !== "prepared") {
    kill();
    const [reason = "its process ended, or its requests took too long."] = prepared?.notes.complaints ?? [];
    const notes: AttackNotes = { answers: {}, complaints: [`${order.name} could not be prepared: ${reason}`] };
    return { attack: async () => ({ notes, projectIds: prepared?.projectIds ?? [] }), kill };
  }
  return {
    async attack() {
      child.send("go");
      const done = await nextProgress(child, order.seconds * 1_000 + graceMs);
      kill();
      const unended = "The process of the attack ended early, or its requests did not end in time.";
      return done ?? { notes: { answers: {}, complaints: [unended] }, projectIds: prepared.projectIds };
    },
    kill,
  };
}

/** Its next message; null when it ends or sends nothing in time. */
async function nextProgress(child: ChildProcess, deadlineMs: number): Promise<AttackProgress | null> {
  if (child.exitCode !== null || child.signalCode !== null) return null;
  const given = AbortSignal.timeout(deadlineMs);
  const waits = new AbortController();
  const signal = AbortSignal.any([given, waits.signal]);
  try {
    const said = await Promise.race([once(child, "message", { signal }), once(child, "exit", { signal })]);
    return typeof said[0] === "object" && said[0] !== null ? (said[0] as AttackProgress) : null;
  } catch {
    return null;
  } finally {
    waits.abort();
  }
}
