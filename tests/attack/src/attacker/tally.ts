/** The answers an attacker got, and problems it found besides what the probe measures. */
export interface Tally {
  /** Counts an answer by its status. `broken` means a missing or incomplete answer, `killed` a killed process. */
  count(answer: number | "broken" | "killed"): void;
  /** A finding of the attack, as a sentence. Duplicates are kept once. */
  complain(sentence: string): void;
  read(): AttackNotes;
}

export interface AttackNotes {
  answers: Record<string, number>;
  complaints: string[];
}

/** The sum of the notes of several attackers. */
export function addUp(all: readonly AttackNotes[]): AttackNotes {
  const answers: Record<string, number> = {};
  for (const [status, count] of all.flatMap((notes) => Object.entries(notes.answers))) {
    answers[status] = (answers[status] ?? 0) + count;
  }
  return { answers, complaints: [...new Set(all.flatMap(({ complaints }) => complaints))] };
}

const complaintsMax = 20;

export function createTally(): Tally {
  const answers = new Map<string, number>();
  const complaints = new Set<string>();
  return {
    count(answer) {
      answers.set(String(answer), (answers.get(String(answer)) ?? 0) + 1);
    },
    complain(sentence) {
      if (complaints.size < complaintsMax) complaints.add(sentence);
    },
    read: () => ({
      answers: Object.fromEntries([...answers].sort(([one], [other]) => one.localeCompare(other))),
      complaints: [...complaints],
    }),
  };
}
