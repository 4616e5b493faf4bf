/** Computing with fewer characters than this takes a few milliseconds at most. */
const largeChars = 64 * 1024;

const waiting: (() => void)[] = [];

/**
 * Waits for a turn of the event loop that no other caller gets: work that several calls would begin in the same turn, one
 * after the other, leaves everything else its turns in between. Callers proceed in the order of their calls.
 */
export function takeLoopTurn(): Promise<void> {
  return new Promise((resolve) => {
    waiting.push(resolve);
    if (waiting.length === 1) setImmediate(giveTurn);
  });
}

/** The same before computing with a text of this length, if it is large. */
export async function takeLoopTurnIfLarge(chars: number): Promise<void> {
  if (chars >= largeChars) await takeLoopTurn();
}

function giveTurn(): void {
  waiting.shift()?.();
  // Scheduled during the immediates of this turn, it runs in the next one.
  if (waiting.length > 0) setImmediate(giveTurn);
}
