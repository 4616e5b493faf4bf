import { readlinkSync } from "node:fs";
import { getPriority } from "node:os";
import path from "node:path";
import { threadId } from "node:worker_threads";
import { Moved } from "../src/thread.ts";

/** The computations of the pool's tests. */

export const tellThread = (): number => threadId;

export const tellPriority = (): number => getPriority(Number(path.basename(readlinkSync("/proc/thread-self"))));

export function spinForever(): never {
  for (;;);
}

/** Reports that it began, and ends when allowed. */
export function waitForGate({ gate, began }: Record<"gate" | "began", Int32Array<SharedArrayBuffer>>): number {
  Atomics.add(began, 0, 1);
  Atomics.wait(gate, 0, 0);
  return threadId;
}

export function fillMemory(): number {
  const kept: number[][] = [];
  for (;;) kept.push(Array.from({ length: 500_000 }, (_, at) => at + kept.length + 0.5));
}

export const sumBytes = (bytes: Uint8Array): number => bytes.reduce((sum, byte) => sum + byte, 0);

export function refuse(): never {
  throw new RangeError("no");
}

let made = new Uint8Array();

export function makeBytes(): Moved<{ made: Uint8Array<ArrayBuffer> }> {
  made = new Uint8Array([1, 2, 3]);
  return new Moved({ made }, [made.buffer]);
}

export const countKept = (): number => made.byteLength;
