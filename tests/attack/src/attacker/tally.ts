/** What an attacker was told, and what it found wrong besides what the probe measures. */
export interface Tally {
  /** Counts an answer by its status; `broken` is no answer, or half of one. `killed` is a process. */
  count(answer: number | "broken" | "killed"): void;
  /** A finding of the attack's own, as a sentence. The same one is kept once. */
  complain(sentence: string): void;
  read(): AttackNotes;
}

export interface AttackNotes {
  answers: Record<string, number>;
  complaints: string[];
}

/** What several attackers noted. */
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
