import { z } from "zod";
import { errorBody, globalErrorBody } from "../errors.ts";
import {
  addedCases,
  caseParams,
  casePreview,
  casePreviewBody,
  casePreviewSentences,
  deletedCase,
  duplicateCase,
  importCasesQuery,
  importDatasetQuery,
  importedCase,
  importedCases,
  importedDataset,
  importPreview,
  putCaseReply,
  readVersionQuery,
  staleDataset,
  submittedCases,
  suggestExpectedBody,
  suggestExpectedSentences,
  suggestedExpected,
} from "../http/cases.ts";
import {
  dataset,
  datasetParams,
  datasetVersionCounts,
  datasetVersionCountsQuery,
  datasetVersionParams,
  datasetVersions,
  deletedDataset,
  question,
  submittedDataset,
} from "../http/datasets.ts";
import { deletedVersion } from "../http/graders.ts";
import { versionListQuery } from "../http/list-page.ts";
import { judged } from "../judged-body.ts";
import { deadlines, limits } from "../limits.ts";
import type { Route } from "../route.ts";
import { byMember, checkedBody, dataPlane, error, json, large, prefix, wrongPage } from "./route-parts.ts";

const dashboard = { ...dataPlane, owner: "eval-runs" } as const;
const evaluation = { ...dashboard, keyRateGroup: "evaluation" } as const;
const datasetsPath = `${prefix}/custom-agent-evaluations/datasets`;
const versionsPath = `${prefix}/evaluate/datasets/{datasetId}/versions`;
const noDataset = error("No such dataset in the project.");
const noCase = error("No such dataset in the project, or no such case in the dataset.");
const stale = { description: "The dataset changed since it was read.", schema: staleDataset };

/** Changes to datasets: their cases, their versions, and imports. */
export const datasetRoutes = {
  updateDataset: {
    ...evaluation,
    ...byMember,
    id: "updateDataset",
    method: "PUT",
    path: `${datasetsPath}/{datasetId}`,
    params: datasetParams,
    query: readVersionQuery,
    body: large(submittedDataset),
    responses: {
      200: { description: "The dataset as it is now: a new version, if anything changed.", schema: dataset },
      ...checkedBody,
      404: noDataset,
      409: stale,
    },
    summary: "Replace a dataset.",
    section: "completions 3.3",
  },
  deleteDataset: {
    ...evaluation,
    ...byMember,
    id: "deleteDataset",
    method: "DELETE",
    path: `${datasetsPath}/{datasetId}`,
    params: datasetParams,
    responses: {
      200: { description: "It is gone; its runs stay, with the versions they use.", schema: deletedDataset },
      404: noDataset,
    },
    summary: "Delete a dataset.",
    section: "completions 3.3",
  },
  addCases: {
    ...evaluation,
    ...byMember,
    id: "addCases",
    alsoAskedBy: ["dropin"],
    method: "POST",
    path: `${datasetsPath}/{datasetId}/cases`,
    params: datasetParams,
    body: large(submittedCases),
    responses: {
      201: { description: "The cases are added; of several, those that are no duplicates.", schema: addedCases },
      ...checkedBody,
      404: noDataset,
      409: { description: "The dataset has the case already.", schema: duplicateCase },
    },
    summary: "Add cases to a dataset.",
    section: "completions 3.3",
  },
  putCase: {
    ...evaluation,
    ...byMember,
    id: "putCase",
    method: "PUT",
    path: `${datasetsPath}/{datasetId}/cases/{questionIndex}`,
    params: caseParams,
    query: readVersionQuery,
    body: large(question),
    responses: {
      200: { description: "The case as it is now, and the version of the dataset that has it.", schema: putCaseReply },
      201: { description: "The same of a case that was added.", schema: putCaseReply },
      ...checkedBody,
      404: noCase,
      409: stale,
    },
    summary: "Replace one case of a dataset, or add one.",
    section: "completions 3.3",
  },
  deleteCase: {
    ...evaluation,
    ...byMember,
    id: "deleteCase",
    method: "DELETE",
    path: `${datasetsPath}/{datasetId}/cases/{questionIndex}`,
    params: caseParams,
    query: readVersionQuery,
    responses: {
      200: { description: "It is gone; those behind it move up. Versions and runs keep it.", schema: deletedCase },
      400: error("The version is missing or no number."),
      404: noCase,
      409: stale,
    },
    summary: "Delete one case of a dataset.",
    section: "completions 3.3",
  },
  previewCase: {
    ...evaluation,
    ...byMember,
    id: "previewCase",
    alsoAskedBy: ["dropin"],
    method: "POST",
    path: `${datasetsPath}/case-preview`,
    body: judged(json(casePreviewBody), casePreviewSentences),
    responses: {
      200: { description: "The case, and the turns it is made of.", schema: casePreview },
      ...checkedBody,
      404: error("The project has no such trace or session, or nothing was asked in it."),
    },
    summary: "Make a case of a recorded trace or session, without storing it.",
    section: "completions 3.3",
  },
  suggestExpected: {
    ...evaluation,
    ...byMember,
    id: "suggestExpected",
    method: "POST",
    path: `${datasetsPath}/suggest-expected`,
    body: judged(json(suggestExpectedBody), suggestExpectedSentences),
    responses: {
      200: { description: "What the judge would have answered.", schema: suggestedExpected },
      ...checkedBody,
      422: error("The judge gave no suggestion; the text says why."),
    },
    deadlineMs: deadlines.gatewayScoringHopMs,
    summary: "Suggest the expected result of a question.",
    section: "completions 3.3",
  },
  importDataset: {
    ...evaluation,
    ...byMember,
    id: "importDataset",
    method: "POST",
    path: `${datasetsPath}/import`,
    query: importDatasetQuery,
    body: { kind: "rows", schema: importedCase, maxBytes: limits.jsonBodyMaxBytes, required: true },
    responses: {
      200: { description: "A dry run: what would be imported.", schema: importPreview },
      201: { description: "The new dataset; rows with a mistake are left out and told.", schema: importedDataset },
      ...checkedBody,
      400: {
        description: "The name is missing, the body is not what its type says, or it has too many rows.",
        schema: z.union([errorBody, globalErrorBody]),
      },
    },
    summary: "Make a dataset of a CSV file, a JSON array or JSON lines.",
    section: "completions 3.3",
  },
  importCases: {
    ...evaluation,
    ...byMember,
    id: "importCases",
    method: "POST",
    path: `${datasetsPath}/{datasetId}/import`,
    params: datasetParams,
    query: importCasesQuery,
    body: { kind: "rows", schema: importedCase, maxBytes: limits.jsonBodyMaxBytes, required: true },
    responses: {
      200: {
        description: "How many cases were added, changed and removed; of a dry run would be.",
        schema: importedCases,
      },
      ...checkedBody,
      404: noDataset,
      409: stale,
    },
    summary: "Import cases into a dataset.",
    section: "completions 3.3",
  },
  listDatasetVersions: {
    ...dashboard,
    id: "listDatasetVersions",
    alsoAskedBy: ["dropin"],
    method: "GET",
    path: versionsPath,
    params: datasetParams,
    query: versionListQuery,
    responses: {
      200: { description: "Its versions, newest first.", schema: datasetVersions },
      400: wrongPage,
      404: noDataset,
    },
    summary: "List the versions of a dataset.",
    section: "completions 3.3",
  },
  deleteDatasetVersion: {
    ...dashboard,
    ...byMember,
    id: "deleteDatasetVersion",
    method: "DELETE",
    path: `${versionsPath}/{versionId}`,
    params: datasetVersionParams,
    responses: {
      200: {
        description: "Whether it was deleted: the newest version, and one that a run uses, stay.",
        schema: deletedVersion,
      },
      404: noDataset,
    },
    summary: "Delete an earlier version of a dataset.",
    section: "completions 3.3",
  },
  countDatasetVersions: {
    ...dashboard,
    id: "countDatasetVersions",
    alsoAskedBy: ["dropin"],
    method: "GET",
    path: `${prefix}/evaluate/datasets/batch/versions`,
    query: datasetVersionCountsQuery,
    responses: {
      200: { description: "How many versions each dataset has.", schema: datasetVersionCounts },
    },
    summary: "Count the versions of datasets.",
    section: "completions 3.3",
  },
} as const satisfies Record<string, Route>;
