import type { QueryClient } from "@tanstack/react-query";
import { bodyOf, type ProjectApi } from "../api/client.ts";
import { ApiProblem } from "../api/problem.ts";
import { placeOf } from "./case-fields.ts";
import { type Dataset, datasetQuery, type Question } from "./queries.ts";

const path = "/api/v1/custom-agent-evaluations/datasets/{datasetId}/cases/{questionIndex}";

/** The number of retries of a change when only other cases changed meanwhile. */
const triesMost = 3;

interface CaseChange {
  dataset: Dataset;
  /** The case as it was read; null: a new one. */
  base: Question | null;
  index: number;
}

/**
 * Stores a case in the place of `base`. Rejects with a 409 when that was changed meanwhile; the dataset is loaded again
 * then.
 */
export const putCase = (api: ProjectApi, queries: QueryClient, change: CaseChange, question: Question) =>
  changeCase(api, queries, change, (params) => bodyOf(api.PUT(path, { params, body: question })));

/** Deletes a case; the same holds. */
export const deleteCase = (api: ProjectApi, queries: QueryClient, change: CaseChange) =>
  changeCase(api, queries, change, (params) => bodyOf(api.DELETE(path, { params })));

type CaseParams = {
  path: { datasetId: string; questionIndex: string };
  query: { version: string };
};

async function changeCase<Reply>(
  api: ProjectApi,
  queries: QueryClient,
  { dataset, base, index }: CaseChange,
  send: (params: CaseParams) => Promise<Reply>,
): Promise<Reply> {
  let read = dataset;
  let place = index;
  for (let tries = 1; ; tries += 1) {
    try {
      return await send({
        path: { datasetId: dataset._id, questionIndex: String(place) },
        query: { version: String(read.version) },
      });
    } catch (problem) {
      if (!(problem instanceof ApiProblem && problem.status === 409) || tries === triesMost) throw problem;
      read = await queries.fetchQuery({ ...datasetQuery(api, dataset._id), staleTime: 0 });
      const moved = placeOf(base, index, read.questions);
      if (moved === null) throw problem;
      place = moved;
    }
  }
}
