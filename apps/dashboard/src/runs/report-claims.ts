/** A part of a claim; with `caseKey` it names a case. */
export interface ClaimPiece {
  text: string;
  caseKey: string | null;
}

/** A case that a claim may quote by its question. */
export interface QuotedCase {
  key: string;
  question: string | null;
}

interface Version {
  versionNumber: number;
  snapshot: { questions?: unknown };
}

/** The cases of a version of a dataset; none if it is not among `versions`. In another one a case has another number. */
export function casesOfVersion(versions: readonly Version[], version: number | null): QuotedCase[] {
  const found = versions.find(({ versionNumber }) => versionNumber === version);
  const questions = (found?.snapshot.questions ?? []) as { main_question: { query: string | null } }[];
  return questions.map(({ main_question: { query } }, index) => ({ key: String(index), question: query }));
}

/** Shorter questions may occur in the sentence by chance. */
const questionCharsMin = 8;

/**
 * Finds the cases that a claim of a report quotes: the text of a question between quotation marks. The concatenated pieces are
 * the claim.
 */
export function linkClaim(claim: string, cases: readonly QuotedCase[]): ClaimPiece[] {
  const pieces: ClaimPiece[] = [];
  let from = 0;
  for (const found of claim.matchAll(/["“]([^"“”]+)["”]/g)) {
    const quoted = (found[1] as string).trim();
    const named =
      quoted.length < questionCharsMin ? undefined : cases.find(({ question }) => question?.trim() === quoted);
    if (named === undefined) continue;
    if (found.index > from) pieces.push({ text: claim.slice(from, found.index), caseKey: null });
    pieces.push({ text: found[0], caseKey: named.key });
    from = found.index + found[0].length;
  }
  if (from < claim.length) pieces.push({ text: claim.slice(from), caseKey: null });
  return pieces;
}
