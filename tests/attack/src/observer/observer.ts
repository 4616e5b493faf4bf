import { fork } from "node:child_process";
import path from "node:path";
import { compileCache } from "../../../integration/src/service-process.ts";
import type { ProbeFigures } from "./window.ts";

/** The first message to the observer's process. */
export interface ObserverOrder {
  url: string;
  /** Of the project that behaves well. */
  apiKey: string;
  /** The Node process of the installation. */
  pid: number;
  /** That `/metrics` asks for. */
  metricsToken: string;
}

export type Question =
  | { kind: "watch"; pid: number }
  | { kind: "now"; lastMs: number }
  | { kind: "rememberMemory" | "begin" | "attackIsOver" | "end" }
  | { kind: "readBack"; all: boolean };

export interface Asked {
  id: number;
  question: Question;
}

/** What was seen between `begin` and `end`. */
export interface Window extends ProbeFigures {
  /** How long the event loop was blocked at the most, or, where that is not measured, the slowest `/health/live`. */
  stallMs: number;
  /** How late the probe itself was at the most. */
  ownDelayMs: number;
  memoryMb: { before: number; peak: number; after: number };
}

/** A process of its own that behaves well, and measures: the load of an attack does not reach its clock. */
export interface Observer {
  /** The installation has another Node process. */
  watch(pid: number): Promise<void>;
  /** The slowest request of the last milliseconds, those under way included; the memory now, and when it was remembered. */
  now(lastMs: number): Promise<{ slowestMs: number; residentMb: number; beforeMb: number }>;
  /** Memory counts from here. */
  rememberMemory(): Promise<void>;
  begin(): Promise<void>;
  /** What the probe sends from here on does not count for the quantiles. */
  attackIsOver(): Promise<void>;
  end(): Promise<Window>;
  /** Ids of traces that were acknowledged, since `begin` or in the whole run, and are not there. */
  readBack(since: "begin" | "start"): Promise<string[]>;
  stop(): void;
}

export function startObserver(order: ObserverOrder): Observer {
  const child = fork(path.join(import.meta.dirname, "process.ts"), [JSON.stringify(order)], {
    env: { ...process.env, NODE_COMPILE_CACHE: compileCache },
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
    now: (lastMs) => ask({ kind: "now", lastMs }),
    rememberMemory: () => ask({ kind: "rememberMemory" }),
    begin: () => ask({ kind: "begin" }),
    attackIsOver: () => ask({ kind: "attackIsOver" }),
    end: () => ask({ kind: "end" }),
    readBack: (since) => ask({ kind: "readBack", all: since === "start" }),
    stop: () => void child.kill(),
  };
}
