import { takeLoopTurn } from "@touchstone/service-kit";

/** How long the event loop may be blocked before others get a turn. */
const turnMs = 2;

/** Lets a long computation share the event loop: `if (turn.isOver()) await turn.next()`. */
export interface Turn {
  isOver(): boolean;
  next(): Promise<void>;
}

export function takeTurn(): Turn {
  let startedAt = performance.now();
  return {
    isOver: () => performance.now() - startedAt > turnMs,
    async next() {
      await takeLoopTurn();
      startedAt = performance.now();
    },
  };
}
