import fc from "fast-check";

/** Requests with every piece at least once: some are repeated, all come in any order, and they are cut anywhere. */
export function requestsOf<Piece>(pieces: readonly Piece[]): fc.Arbitrary<Piece[][]> {
  return fc.array(fc.nat(pieces.length - 1), { maxLength: 5 }).chain((again) => {
    const all = [...pieces.keys(), ...again];
    const order = fc.shuffledSubarray([...all.keys()], { minLength: all.length });
    return fc
      .tuple(order, fc.array(fc.boolean(), { minLength: all.length, maxLength: all.length }))
      .map(([places, cuts]): Piece[][] => {
        const requests: Piece[][] = [[]];
        for (const [index, place] of places.entries()) {
          if (cuts[index] === true && index > 0) requests.push([]);
          requests.at(-1)?.push(pieces[all[place] as number] as Piece);
        }
        return requests;
      });
  });
}

const hidden = new Set(["_id", "agentId", "createdAt", "updatedAt"]);
const unordered = new Set(["traces", "shown", "scores", "sessions"]);

/** Rows without ids made on receipt and times of receipt. The lists of traces, scores and sessions are sorted as text. */
export function comparableRows(value: unknown): unknown {
  return JSON.parse(
    JSON.stringify(value, (key, member) => {
      if (hidden.has(key)) return undefined;
      if (!Array.isArray(member) || !unordered.has(key)) return member;
      return member.map((one) => JSON.stringify(comparableRows(one))).toSorted();
    }),
  );
}
