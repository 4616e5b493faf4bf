import { expect, test } from "vitest";
import { bodyOfSettings, settingsMistake, settingsOf } from "../../src/datasets/settings-fields.ts";

const dataset = {
  _id: "1",
  name: "Refunds",
  numberOfRequests: 2,
  evaluationCriteria: "Is it true?",
  rougeScore: { enabled: true },
  codeScorers: [{ id: "s", name: "Short", code: "1" }],
  thresholds: { rouge: 0.5 },
  questions: [{ main_question: { query: "a" } }],
  status: "published" as const,
  version: 4,
  createdAt: "2026-11-01T00:00:00.000Z",
};

test("untouched settings are sent unchanged, with the cases", () => {
  const { _id, status, version, createdAt, rougeScore, ...kept } = dataset;
  const body = bodyOfSettings(settingsOf(dataset), dataset);
  expect(body).toMatchObject({ ...kept, rougeScore: { enabled: true }, bleuScore: { enabled: false } });
  expect(body).not.toHaveProperty("ci");
  expect(body.description).toBeUndefined();
});

test("how pipelines use it is sent once something of it changed", () => {
  const fields = { ...settingsOf(dataset), passRatePercent: "7" };
  expect(bodyOfSettings(fields, dataset).ci).toEqual({
    enabled: true,
    passRateThreshold: 0.07,
    ratingThreshold: 5,
    exposeTestInputs: true,
    failFast: false,
  });
});

test("settings that cannot be saved say why", () => {
  const fields = settingsOf(dataset);
  expect(settingsMistake(fields)).toBeUndefined();
  expect(settingsMistake({ ...fields, name: " " })).toBe("A dataset needs a name.");
  expect(settingsMistake({ ...fields, numberOfRequests: "21" })).toMatch(/1 to 20/);
  expect(settingsMistake({ ...fields, passRatePercent: "" })).toMatch(/0 to 100/);
  expect(settingsMistake({ ...fields, ratingThreshold: "11" })).toMatch(/0 and 10/);
});
