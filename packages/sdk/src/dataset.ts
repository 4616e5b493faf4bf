import { createHash } from "node:crypto";
import { ApiError } from "./api-error.ts";
import { type AnswerOf, bodyOf, type Touchstone } from "./client.ts";

/** A case as code states it. Further members, such as `judgeGuideline`, are kept. */
export interface StatedCase {
  query: string;
  /** The reference answer. */
  expected?: string | null | undefined;
  [member: string]: unknown;
}

/** Cases with the words by which a judge grades them. */
export interface StatedDataset {
  name: string;
  cases: readonly StatedCase[];
  evaluationCriteria?: string | undefined;
  acceptanceCriteria?: string | undefined;
  rejectionCriteria?: string | undefined;
}

/** A dataset of the project by name or id, or cases. */
export type DatasetChoice = string | readonly StatedCase[] | StatedDataset;

/** A case of a run, as the task receives it. */
export interface EvaluationCase {
  /** `case-{questionIndex}`. */
  caseId: string;
  questionIndex: number;
  query: string;
  expected: string | null;
  /** All members of the case, as they are stored. */
  question: Readonly<Record<string, unknown>>;
}

type Question = AnswerOf<"getDataset", 200>["questions"][number];

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** The id of the chosen dataset. Cases are stored as a dataset that is named for their content, if there is none yet. */
export async function findDataset(client: Touchstone, choice: DatasetChoice): Promise<string> {
  if (typeof choice !== "string") return storeCases(client, "cases" in choice ? choice : unnamed(choice));
  if (uuid.test(choice) && (await hasDataset(client, choice))) return choice;
  const found = await findByName(client, choice);
  if (found.length > 1) {
    throw new TypeError(`${found.length} datasets are named "${choice}": choose one by its id, ${found.join(" or ")}.`);
  }
  if (found[0] === undefined) throw new TypeError(`The project has no dataset "${choice}".`);
  return found[0];
}

/** The cases of a run: of the version of its dataset that the run keeps. */
export async function readCases(
  client: Touchstone,
  run: { datasetId: string; datasetVersion: number | null },
): Promise<{ cases: EvaluationCase[]; numberOfRequests: number }> {
  const path = { datasetId: run.datasetId };
  const newest = await bodyOf(
    client.api.GET("/api/v1/custom-agent-evaluations/datasets/{datasetId}", { params: { path } }),
  );
  const { questions, numberOfRequests } =
    run.datasetVersion === null || run.datasetVersion === newest.version
      ? newest
      : await readVersion(client, run.datasetId, run.datasetVersion);
  return { cases: questions.map(toCase), numberOfRequests };
}

async function readVersion(client: Touchstone, datasetId: string, version: number) {
  const [found] = await bodyOf(
    client.api.GET("/api/v1/evaluate/datasets/{datasetId}/versions", {
      params: { path: { datasetId }, query: { limit: "1", cursor: String(version + 1) } },
    }),
  );
  if (found?.versionNumber !== version) throw new TypeError(`Version ${version} of the dataset is gone.`);
  return found.snapshot as unknown as Pick<AnswerOf<"getDataset", 200>, "questions" | "numberOfRequests">;
}

function toCase(question: Question, questionIndex: number): EvaluationCase {
  const { query, expectedResults } = question.main_question;
  return { caseId: `case-${questionIndex}`, questionIndex, query, expected: expectedResults ?? null, question };
}

async function hasDataset(client: Touchstone, datasetId: string): Promise<boolean> {
  try {
    await client.api.GET("/api/v1/custom-agent-evaluations/datasets/{datasetId}", { params: { path: { datasetId } } });
    return true;
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return false;
    throw error;
  }
}

/** The ids of the datasets with exactly this name, newest first. */
async function findByName(client: Touchstone, name: string): Promise<string[]> {
  const found: string[] = [];
  let cursor: string | null | undefined;
  do {
    const page = await bodyOf(
      client.api.GET("/api/v1/custom-agent-evaluations/datasets", {
        params: { query: { view: "summary", search: name, ...(cursor && { cursor }) } },
      }),
    );
    found.push(...page.datasets.filter((one) => one.name === name).map(({ _id }) => _id));
    cursor = page.nextCursor;
  } while (cursor);
  return found;
}

const unnamed = (cases: readonly StatedCase[]): StatedDataset => ({ name: "Cases from code", cases });

async function storeCases(client: Touchstone, stated: StatedDataset): Promise<string> {
  const { name, cases, ...criteria } = stated;
  if (cases.length === 0) throw new TypeError("There are no cases to evaluate.");
  const questions = cases.map(({ query, expected, ...more }) => {
    if (typeof query !== "string" || query.trim() === "") throw new TypeError("Each case needs a `query`.");
    return { main_question: { query, ...(expected != null && { expectedResults: expected }), ...more } };
  });
  const body = { ...criteria, questions };
  const digest = createHash("sha256").update(JSON.stringify(body)).digest("hex").slice(0, 12);
  const named = `${name} (${digest})`;
  const [known] = await findByName(client, named);
  if (known !== undefined) return known;
  const stored = await bodyOf(
    client.api.POST("/api/v1/custom-agent-evaluations/datasets", { body: { name: named, ...body } as never }),
  );
  return stored._id;
}
