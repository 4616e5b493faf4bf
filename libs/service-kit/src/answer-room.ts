import { deadlines, limits } from "@touchstone/contracts";
import type { AppError } from "./app-error.ts";
import { type BodyBudget, type BodyShare, createBodyBudget } from "./body-budget.ts";
import type { Tenant } from "./fair-share.ts";

/** Large answers that may wait: some of them are made already. */
const waitingMax = 32;

/** The memory of all answers that a process is making or has not sent yet; request bodies have a budget of their own. */
export function createAnswerBudget({ bytesMax }: { bytesMax: number }): BodyBudget {
  return createBodyBudget({ bytesMax, turnMs: deadlines.answerRoomMs, turnsMax: waitingMax });
}

/**
 * The room of one answer. One of up to `limits.smallBodyMaxBytes` needs none: the buffers of its socket take it. A large
 * one waits for its turn, and is refused when there is none in time.
 */
export class AnswerRoom {
  readonly #budget: BodyBudget;
  readonly #refuse: () => AppError;
  /** Whose answer it is, once that is known: tenants share the room. */
  tenant: Tenant | undefined;
  #share: BodyShare | null = null;
  #held = 0;
  #isReleased = false;

  constructor(budget: BodyBudget, refuse: () => AppError, tenant?: Tenant) {
    this.#budget = budget;
    this.#refuse = refuse;
    this.tenant = tenant;
  }

  /** Waits until there is room for an answer of so many bytes, before what it is made of is read. */
  async make(bytes: number): Promise<void> {
    // What a handler makes after its client has left is dropped at once, and nothing would give its room back.
    if (this.#isReleased || bytes <= this.#held) return;
    this.#share ??= this.#budget.open(this.#refuse, this.tenant);
    await this.#share.enter(bytes - this.#held);
    this.#held = bytes;
  }

  /** The answer has so many bytes: it holds no more and no less from now on. */
  async settle(bytes: number): Promise<void> {
    if (bytes > this.#held) {
      if (bytes > limits.smallBodyMaxBytes) await this.make(bytes);
      return;
    }
    if (this.#isReleased) return;
    this.#share?.take(bytes - this.#held);
    this.#held = bytes;
  }

  /** The answer has left, or never will: it holds nothing from now on. */
  release(): void {
    this.#isReleased = true;
    this.#share?.release();
    this.#share = null;
    this.#held = 0;
  }
}
