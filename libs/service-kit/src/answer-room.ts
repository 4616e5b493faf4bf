import { deadlines, limits } from "@touchstone/contracts";
import type { AppError } from "./app-error.ts";
import { type BodyBudget, type BodyShare, createBodyBudget } from "./body-budget.ts";
import type { Tenant } from "./fair-share.ts";

/** The number of large answers that may wait: some of them are already complete. */
const waitingMax = 32;

/** The memory of all answers that a process is producing or has not sent yet; request bodies have a separate budget. */
export function createAnswerBudget({ bytesMax }: { bytesMax: number }): BodyBudget {
  return createBodyBudget({ bytesMax, turnMs: deadlines.answerRoomMs, turnsMax: waitingMax });
}

/**
 * The memory of one answer. One of up to `limits.smallBodyMaxBytes` needs none: the socket buffers hold it. A large one
 * waits for its turn, and is refused when that takes too long.
 */
export class AnswerRoom {
  readonly #budget: BodyBudget;
  readonly #refuse: () => AppError;
  /** The owner of the answer, once known: tenants share the memory. */
  tenant: Tenant | undefined;
  #share: BodyShare | null = null;
  #held = 0;
  #isReleased = false;

  constructor(budget: BodyBudget, refuse: () => AppError, tenant?: Tenant) {
    this.#budget = budget;
    this.#refuse = refuse;
    this.tenant = tenant;
  }

  /** Waits until there is memory for an answer of this many bytes, before its data is read. */
  async make(bytes: number): Promise<void> {
    // An answer whose client has disconnected is dropped at once; otherwise its memory would never be released.
    if (this.#isReleased || bytes <= this.#held) return;
    this.#share ??= this.#budget.open(this.#refuse, this.tenant);
    await this.#share.enter(bytes - this.#held);
    this.#held = bytes;
  }

  /** The answer has this many bytes: its share is adjusted to that. */
  async settle(bytes: number): Promise<void> {
    if (bytes > this.#held) {
      if (bytes > limits.smallBodyMaxBytes) await this.make(bytes);
      return;
    }
    if (this.#isReleased) return;
    this.#share?.take(bytes - this.#held);
    this.#held = bytes;
  }

  /** The answer was sent, or never will be: its share is released. */
  release(): void {
    this.#isReleased = true;
    this.#share?.release();
    this.#share = null;
    this.#held = 0;
  }
}
