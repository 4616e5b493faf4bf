/** Two large exports are worked on at a time, in the order they came: each is several times its bytes meanwhile. */
export interface LargeTurns {
  take<Result>(work: () => Promise<Result>): Promise<Result>;
}

/** One is decoded while another is written. More would be no faster, since they are written one after the other. */
const atOnceMax = 2;

export function createLargeTurns(): LargeTurns {
  const waiting: (() => void)[] = [];
  let working = 0;
  return {
    async take(work) {
      if (working >= atOnceMax) await new Promise<void>((resolve) => waiting.push(resolve));
      else working += 1;
      try {
        return await work();
      } finally {
        const next = waiting.shift();
        if (next === undefined) working -= 1;
        else next();
      }
    },
  };
}
