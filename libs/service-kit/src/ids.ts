import { createHash, randomFillSync } from "node:crypto";
import { isUuid } from "@touchstone/contracts";

// Random bytes are drawn in blocks: a system call per id would cost more than the id.
const block = Buffer.allocUnsafe(4096);
let used = block.length;

function randomBytes(count: number): Buffer {
  if (used + count > block.length) {
    randomFillSync(block);
    used = 0;
  }
  used += count;
  return block.subarray(used - count, used);
}

const hex = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, "0"));

// The 12 bits after the time count the ids of one millisecond. They start low and at random.
const sequenceMax = 0xfff;
let lastTime = -1;
let sequence = 0;

/**
 * A UUID version 7 of the given epoch millisecond, so that ids sort by it. Consecutive ids of one process for the same
 * millisecond sort in creation order (up to some 3,800 of them); 62 bits are random.
 */
export function uuidv7(atMs: number): string {
  const time = Math.trunc(atMs);
  const random = randomBytes(9);
  const byte = (index: number): string => hex[random[index] as number] as string;
  const follows = time === lastTime && sequence < sequenceMax;
  sequence = follows ? sequence + 1 : (random[8] as number);
  lastTime = time;
  const timeHex = time.toString(16).padStart(12, "0");
  const sequenceHex = sequence.toString(16).padStart(3, "0");
  const variant = hex[0x80 | ((random[0] as number) & 0x3f)] as string;
  return `${timeHex.slice(0, 8)}-${timeHex.slice(8)}-7${sequenceHex}-${variant}${byte(1)}-${byte(2)}${byte(3)}${byte(4)}${byte(5)}${byte(6)}${byte(7)}`;
}

/** The epoch millisecond of a version 7 UUID. */
export function uuidv7TimeMs(id: string): number {
  return Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16);
}

/**
 * The id of the run of a client's experiment: a UUID version 8, the same for the same experiment, so that scores may come before the
 * run. An experiment that is named by a UUID has this id.
 */
export function experimentRunId(projectId: string, experimentId: string): string {
  if (isUuid(experimentId)) return experimentId;
  const digits = createHash("sha256").update(`experiment ${projectId}\0${experimentId}`).digest("hex");
  return `${digits.slice(0, 8)}-${digits.slice(8, 12)}-8${digits.slice(13, 16)}-8${digits.slice(17, 20)}-${digits.slice(20, 32)}`;
}
