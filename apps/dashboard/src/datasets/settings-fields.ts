import type { components } from "../api/schema.gen.d.ts";
import { isWithin, percentOf, shareOfPercent } from "../ui/format.ts";
import type { Dataset } from "./queries.ts";

/** The scores of likeness that can be switched on. */
export const metrics = {
  vectorSimilarity: "Meaning (vectors)",
  jaccardSimilarity: "Jaccard",
  bleuScore: "BLEU",
  rougeScore: "ROUGE",
} as const;

const texts = ["name", "description", "evaluationCriteria", "acceptanceCriteria", "rejectionCriteria"] as const;

/** The editable settings of a dataset; numbers as they are typed. */
export type SettingsFields = Record<(typeof texts)[number] | "numberOfRequests", string> &
  Record<keyof typeof metrics, boolean> & {
    ciEnabled: boolean;
    passRatePercent: string;
    ratingThreshold: string;
    exposeTestInputs: boolean;
    failFast: boolean;
  };

export const settingLabels: Readonly<Record<keyof SettingsFields, string>> = {
  name: "Name",
  description: "Description",
  evaluationCriteria: "Judged by",
  acceptanceCriteria: "Accepted when it",
  rejectionCriteria: "Rejected when it",
  numberOfRequests: "Answers asked of each case",
  ...metrics,
  ciEnabled: "Takes CI runs",
  passRatePercent: "Cases that have to pass (%)",
  ratingThreshold: "A case passes from",
  exposeTestInputs: "Shows its questions to pipelines",
  failFast: "Ends when it can no longer pass",
};

export function settingsOf(dataset: Omit<Dataset, "questions" | "version">): SettingsFields {
  const { ci = {} } = dataset;
  return {
    name: dataset.name,
    description: dataset.description ?? "",
    evaluationCriteria: dataset.evaluationCriteria ?? "",
    acceptanceCriteria: dataset.acceptanceCriteria ?? "",
    rejectionCriteria: dataset.rejectionCriteria ?? "",
    numberOfRequests: String(dataset.numberOfRequests),
    vectorSimilarity: dataset.vectorSimilarity?.enabled === true,
    jaccardSimilarity: dataset.jaccardSimilarity?.enabled === true,
    bleuScore: dataset.bleuScore?.enabled === true,
    rougeScore: dataset.rougeScore?.enabled === true,
    ciEnabled: ci.enabled !== false,
    passRatePercent: String(percentOf(ci.passRateThreshold ?? 0.8)),
    ratingThreshold: String(ci.ratingThreshold ?? 5),
    exposeTestInputs: ci.exposeTestInputs !== false,
    failFast: ci.failFast === true,
  };
}

/** The dataset as it is sent: with its cases, and with unchanged hidden settings. */
export function bodyOfSettings(fields: SettingsFields, dataset: Dataset): components["schemas"]["SubmittedDataset"] {
  const { _id, status, version, createdAt, codeScorers, ...kept } = dataset;
  const before = settingsOf(dataset);
  const ciNames = ["ciEnabled", "passRatePercent", "ratingThreshold", "exposeTestInputs", "failFast"] as const;
  return {
    ...kept,
    ...(codeScorers !== undefined && { codeScorers: codeScorers as { code?: string }[] }),
    ...Object.fromEntries(texts.map((name) => [name, fields[name].trim() || undefined])),
    name: fields.name.trim(),
    numberOfRequests: Number(fields.numberOfRequests),
    ...Object.fromEntries(
      (Object.keys(metrics) as (keyof typeof metrics)[]).map((name) => [
        name,
        { ...dataset[name], enabled: fields[name] },
      ]),
    ),
    ...(ciNames.some((name) => fields[name] !== before[name]) && {
      ci: {
        ...dataset.ci,
        enabled: fields.ciEnabled,
        passRateThreshold: shareOfPercent(fields.passRatePercent),
        ratingThreshold: Number(fields.ratingThreshold),
        exposeTestInputs: fields.exposeTestInputs,
        failFast: fields.failFast,
      },
    }),
  };
}

/** Why it cannot be saved yet. */
export function settingsMistake(fields: SettingsFields): string | undefined {
  if (fields.name.trim() === "") return "A dataset needs a name.";
  if (!isWithin(fields.numberOfRequests, 1, 20) || !Number.isInteger(Number(fields.numberOfRequests))) {
    return "Answers asked of each case: 1 to 20.";
  }
  if (!isWithin(fields.passRatePercent, 0, 100)) return "Cases that have to pass: 0 to 100 percent.";
  return isWithin(fields.ratingThreshold, 0, 10) ? undefined : "A case passes from a rating between 0 and 10.";
}
