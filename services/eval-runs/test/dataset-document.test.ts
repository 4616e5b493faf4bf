import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { composeDatasetDocument, renderDataset } from "../src/datasets/dataset-document.ts";
import { readGrading } from "../src/datasets/grading.ts";

const compose = (text: string) => composeDatasetDocument({ text, value: JSON.parse(text) }, () => "made");
const composeOf = (dataset: object) => compose(JSON.stringify(dataset));
const question = (main: object) => ({ main_question: { query: "q", ...main } });

describe("a dataset's document", () => {
  test("returns any JSON in questions and code scorers as it was sent", () => {
    const anyJson = fc.json({ stringUnit: "binary" });
    fc.assert(
      fc.property(anyJson, anyJson, fc.string({ unit: "binary" }), (one, other, key) => {
        const member = `${JSON.stringify(key)}:${one}`;
        const questions = `[ {${member},"main_question" : {"query":"q","extra":${other}}}]`;
        const scorers = `[{"id":"a","code":"return 1","options":${one}}]`;

        const document = compose(`{"name":"n","codeScorers":${scorers},"questions":${questions}}`);

        // A member that is itself called main_question may stand before the real one; the last one counts.
        expect(document).toContain(`"questions":${questions}`);
        expect(document).toContain(`"codeScorers":${scorers}`);
      }),
    );
  });

  test("gives an id to a code scorer whose id is none, in its place", () => {
    const document = compose('{"name":"n","codeScorers":[{"code":"x","id":5,"n":1e400},{"code":"y"}]}');

    expect(document).toContain('"codeScorers":[{"id":"made","code":"x","n":1e400},{"id":"made","code":"y"}]');
  });

  test("is put between id and time when it is read", () => {
    const document = composeOf({ name: "n" });
    const rendered = renderDataset({ id: "id-1", document, createdAt: new Date(0) });

    expect(rendered).toBe(
      '{"_id":"id-1","name":"n","numberOfRequests":1,"questions":[],"status":"published","createdAt":"1970-01-01T00:00:00.000Z"}',
    );
  });
});

describe("the grading of a dataset", () => {
  test("has what judging reads, and null for what is not there", () => {
    expect(readGrading(composeOf({ name: "n", questions: [question({})] }))).toEqual({
      acceptanceCriteria: null,
      rejectionCriteria: null,
      evaluationCriteria: null,
      metrics: { jaccard: false, bleu: false, rouge: false, vector: null },
      codeScorerNames: [],
      cases: [{ query: "q", expectedResults: null, judgeGuideline: null, retrievalContext: null }],
    });
  });

  test("has the metrics that are switched on, and the cases in order", () => {
    const grading = readGrading(
      composeOf({
        name: "n",
        rejectionCriteria: "r",
        vectorSimilarity: { enabled: true },
        bleuScore: { enabled: true },
        rougeScore: { enabled: false },
        questions: [
          question({ expectedResults: "e", judgeGuideline: "g", retrievalContext: ["a"] }),
          question({ query: "second", expectedResults: "\n", retrievalContext: null }),
        ],
      }),
    );

    expect(grading.rejectionCriteria).toBe("r");
    expect(grading.metrics).toEqual({ jaccard: false, bleu: true, rouge: false, vector: { model: null } });
    expect(grading.cases).toEqual([
      { query: "q", expectedResults: "e", judgeGuideline: "g", retrievalContext: ["a"] },
      { query: "second", expectedResults: null, judgeGuideline: null, retrievalContext: null },
    ]);
  });
});
