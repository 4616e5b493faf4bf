import { fork } from "node:child_process";
import path from "node:path";
import { nodeEnvironment } from "../../../integration/src/service-process.ts";
import type { ProbeFigures } from "./window.ts";

/** The first message to the observer's process. */
export interface ObserverOrder {
  url: string;
  /** The key of the well-behaved project. */
  apiKey: string;
  /** The Node process of the installation. */
  pid: number;
  /** The token for `/metrics`. */
  metricsToken: string;
}

export type Question =
  | { kind: "watch"; pid: number }
  | { kind: "now"; lastMs: number }
  | { kind: "pause" | "resume" | "rememberMemory" | "begin" | "attackIsOver" | "end" }
  | { kind: "readBack"; all: boolean };

export interface Asked {
  id: number;
  question: Question;
}

/** The measurements between `begin` and `end`. */
export interface Window extends ProbeFigures {
  /** The longest block of the event loop, or the slowest `/health/live` where that is not measured. */
  stallMs: number;
  /** The largest delay of the probe itself. */
  ownDelayMs: number;
  memoryMb: { before: number; peak: number; after: number };
}

/** A separate process with a well-behaved client that measures: the load of an attack does not affect its clock. */
export interface Observer {
  /** Reports a new Node process of the installation. */
  watch(pid: number): Promise<void>;
  /** Sends nothing until `resume`: while another installation is attacked, this one is to take nothing from it. */
  pause(): Promise<void>;
  resume(): Promise<void>;
  /**
   * The slowest request of the last milliseconds, including those in progress; and the memory now, with the time it was
   * read.
   */
  now(lastMs: number): Promise<{ slowestMs: number; residentMb: number; beforeMb: number }>;
  /** Starts the memory measurement. */
  rememberMemory(): Promise<void>;
  begin(): Promise<void>;
  /** Requests from here on do not count for the quantiles. */
  attackIsOver(): Promise<void>;
  end(): Promise<Window>;
  /** Ids of acknowledged traces that are missing, since `begin` or in the whole run. */
  readBack(since: "begin" | "start"): Promise<string[]>;
  stop(): void;
}

export function startObserver(order: ObserverOrder): Observer {
  const child = fork(path.join(import.meta.dirname, "process.ts"), [JSON.stringify(order)], {
    env: { ...process.env, ...nodeEnvironment },
  });
  const waiting = new Map<number, { resolve: (answer: unknown) => void; reject: (reason: Error) => void }>();
  let lastId = 0;
  child.on("message", ({ id, answer }: { id: number; answer: unknown }) => {
    waiting.get(id)?.resolve(answer);
    waiting.delete(id);
  });
  child.once("exit", (code) => {
    for (const { reject } of waiting.values()) reject(new Error(`The observer ended with code ${code}.`));
    waiting.clear();
  });

  function ask<Answer>(question: Question): Promise<Answer> {
    lastId += 1;
    const id = lastId;
    return new Promise<Answer>((resolve, reject) => {
      if (!child.connected) return reject(new Error("The observer has ended."));
      waiting.set(id, { resolve: resolve as (answer: unknown) => void, reject });
      child.send({ id, question } satisfies Asked);
    });
  }

  return {
    watch: (pid) => ask({ kind: "watch", pid }),
    pause: () => ask({ kind: "pause" }),
    resume: () => ask({ kind: "resume" }),
    now: (lastMs) => ask({ kind: "now", lastMs }),
    rememberMemory: () => ask({ kind: "rememberMemory" }),
    begin: () => ask({ kind: "begin" }),
    attackIsOver: () => ask({ kind: "attackIsOver" }),
    end: () => ask({ kind: "end" }),
    readBack: (since) => ask({ kind: "readBack", all: since === "start" }),
    stop: () => void child.kill(),
  };
}
