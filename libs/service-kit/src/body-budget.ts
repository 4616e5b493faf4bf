import { limits } from "@touchstone/contracts";
import type { AppError } from "./app-error.ts";

/** How long a large body may wait for its turn: what it is told to wait before it tries again. */
const turnMs = 1_000;
/** Large bodies that may wait; each keeps a connection and what fits into its buffers. */
const turnsMax = 256;

/**
 * Bounds the memory of all request bodies that a process has in hand: on the wire, inflated, and what is made of them.
 *
 * Small bodies have a quarter of it to themselves and large ones the rest, so that large ones never take the room of small ones: four exports being
 * inflated are no reason to refuse a trace of a kilobyte. A body is large for good once it has taken more than
 * `limits.smallBodyMaxBytes`. Large ones take turns in the order they came, each for a second at most, so none is
 * overtaken for ever by smaller ones; the only one in hand is admitted whatever its size. One that is in may grow and
 * does not wait for it, since two that waited for each other would never end.
 */
export interface BodyBudget {
  /** A share of nothing yet, which throws what `refuse` makes when there is no room. Whoever opens it releases it. */
  open(refuse: () => AppError): BodyShare;
  /** What is in hand. */
  bytes(): { small: number; large: number };
}

/** What one request has in hand. */
export interface BodyShare {
  /** Makes room for so many bytes more, in turn if that makes it a large one. Rejects when there is none in time. */
  enter(bytes: number): Promise<void>;
  /** Makes room at once or throws; negative bytes are given back. */
  take(bytes: number): void;
  /** Gives everything back. One that still waits is refused. */
  release(): void;
}

export interface BodyBudgetOptions {
  bytesMax: number;
  turnMs?: number;
  turnsMax?: number;
}

interface Turn {
  /** Whether there was room. */
  tryEnter(): boolean;
}

export function createBodyBudget(options: BodyBudgetOptions): BodyBudget {
  const { bytesMax } = options;
  const smallMaxBytes = bytesMax / 4;
  const largeMaxBytes = bytesMax - smallMaxBytes;
  const held = { small: 0, large: 0 };
  const turns = new Set<Turn>();

  function callNext(): void {
    for (const turn of turns) if (!turn.tryEnter()) return;
  }

  return {
    bytes: () => ({ ...held }),
    open(refuse) {
      let mine = 0;
      let isLarge = false;
      let stopWaiting: (() => void) | null = null;

      function hasRoom(total: number): boolean {
        if (!isLarge && total <= limits.smallBodyMaxBytes) return held.small - mine + total <= smallMaxBytes;
        const others = isLarge ? held.large - mine : held.large;
        return others === 0 || others + total <= largeMaxBytes;
      }

      function set(total: number): void {
        const before = mine;
        held[isLarge ? "large" : "small"] -= before;
        isLarge ||= total > limits.smallBodyMaxBytes;
        held[isLarge ? "large" : "small"] += total;
        mine = total;
        if (turns.size > 0 && total < before) callNext();
      }

      function take(bytes: number): void {
        if (bytes > 0 && !hasRoom(mine + bytes)) throw refuse();
        set(mine + bytes);
      }

      function waitForTurn(total: number): Promise<void> {
        return new Promise((resolve, reject) => {
          const end = (): void => {
            clearTimeout(timer);
            turns.delete(turn);
            stopWaiting = null;
          };
          const giveUp = (): void => {
            end();
            reject(refuse());
            // The next one may want less.
            callNext();
          };
          const turn: Turn = {
            tryEnter() {
              if (!hasRoom(total)) return false;
              end();
              set(total);
              resolve();
              return true;
            },
          };
          const timer = setTimeout(giveUp, options.turnMs ?? turnMs);
          turns.add(turn);
          stopWaiting = giveUp;
        });
      }

      return {
        async enter(bytes) {
          const becomesLarge = !isLarge && mine + bytes > limits.smallBodyMaxBytes;
          const mustWait = becomesLarge && (turns.size > 0 || !hasRoom(mine + bytes));
          if (!mustWait) return take(bytes);
          if (turns.size >= (options.turnsMax ?? turnsMax)) throw refuse();
          return waitForTurn(mine + bytes);
        },
        take,
        release() {
          stopWaiting?.();
          if (mine > 0) set(0);
        },
      };
    },
  };
}
