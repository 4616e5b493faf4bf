import type { SimilarityRequest } from "@touchstone/contracts";

/**
 * What a run is graded by: the part of a dataset version that judging reads. Grading configs and scorer groups are
 * further sources of the same thing.
 */
export interface Grading {
  acceptanceCriteria: string | null;
  rejectionCriteria: string | null;
  evaluationCriteria: string | null;
  metrics: SimilarityRequest;
  /** Of the code scorers that are switched on. */
  codeScorerNames: readonly string[];
  cases: readonly EvaluationCase[];
}

/** One question of a dataset with its per-case inputs (completions 3.2). Null = the case has none. */
export interface EvaluationCase {
  query: string;
  expectedResults: string | null;
  judgeGuideline: string | null;
  retrievalContext: string | readonly string[] | null;
}

/** Reads the grading out of a stored dataset document, which {@link composeDatasetDocument} has checked. */
export function readGrading(document: string): Grading {
  const stored: StoredDocument = JSON.parse(document);
  return {
    acceptanceCriteria: stored.acceptanceCriteria ?? null,
    rejectionCriteria: stored.rejectionCriteria ?? null,
    evaluationCriteria: stored.evaluationCriteria ?? null,
    metrics: {
      jaccard: stored.jaccardSimilarity !== undefined,
      bleu: stored.bleuScore !== undefined,
      rouge: stored.rougeScore !== undefined,
      vector: stored.vectorSimilarity === undefined ? null : { model: stored.vectorSimilarity.model ?? null },
    },
    codeScorerNames: (stored.codeScorers ?? [])
      .filter((scorer) => scorer.enabled !== false)
      .map((scorer) => (typeof scorer.name === "string" && scorer.name !== "" ? scorer.name : "Untitled scorer")),
    cases: stored.questions.map(({ main_question: main }) => ({
      query: main.query,
      expectedResults: filledOrNull(main.expectedResults),
      judgeGuideline: filledOrNull(main.judgeGuideline),
      retrievalContext: main.retrievalContext ?? null,
    })),
  };
}

/** A blank text says as much as none. */
const filledOrNull = (text: string | null | undefined): string | null =>
  text === null || text === undefined || text.trim() === "" ? null : text;

interface StoredDocument {
  acceptanceCriteria?: string;
  rejectionCriteria?: string;
  evaluationCriteria?: string;
  vectorSimilarity?: { model?: string };
  jaccardSimilarity?: unknown;
  bleuScore?: unknown;
  rougeScore?: unknown;
  codeScorers?: { name?: unknown; enabled?: unknown }[];
  questions: {
    main_question: {
      query: string;
      expectedResults?: string | null;
      judgeGuideline?: string | null;
      retrievalContext?: string | string[] | null;
    };
  }[];
}
