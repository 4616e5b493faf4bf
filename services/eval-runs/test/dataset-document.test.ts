import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { composeDatasetDocument, renderDataset } from "../src/datasets/dataset-document.ts";

const compose = (text: string) => composeDatasetDocument({ text, value: JSON.parse(text) }, () => "made");
const composeOf = (dataset: object) => compose(JSON.stringify(dataset));

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
    const rendered = renderDataset({ id: "id-1", version: 3, document, createdAt: new Date(0) }).join("");

    expect(rendered).toBe(
      '{"_id":"id-1","name":"n","numberOfRequests":1,"questions":[],"status":"published","version":3,"createdAt":"1970-01-01T00:00:00.000Z"}',
    );
  });
});
