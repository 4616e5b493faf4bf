import { limits, type resultList } from "@touchstone/contracts";
import {
  AppError,
  endOfPage,
  firstOf,
  type Handler,
  readLimit,
  readParameter,
  requireProject,
} from "@touchstone/service-kit";
import type { z } from "zod";
import { findScorer } from "../grading/plan.ts";
import { answerPieces } from "../json/answer-pieces.ts";
import { type Query, readCursor, readNumber, readOneOf } from "../queries/read-query.ts";
import type { AwaitedOutputs } from "../results/awaited-outputs.ts";
import {
  countCases,
  listResults as list,
  type ResultFilter,
  type ResultOrder,
  resultOrders,
} from "../results/result-list.ts";
import { joinRows } from "../results/result-page-reader.ts";
import type { ResultStore } from "../results/result-store.ts";
import { alignRatings, readPlaces } from "./align-cases.ts";
import type { Gradings } from "./gradings.ts";
import { showResult } from "./render-run.ts";
import { readRatings, scorerOf, summarizeRatings } from "./run-ratings.ts";
import { type RunStore, requireRun, type StoredRun } from "./run-store.ts";

type Reply = z.input<typeof resultList>;

interface Dependencies {
  runs: RunStore;
  results: ResultStore;
  gradings: Gradings;
  awaited: AwaitedOutputs;
}

/**
 * GET /custom-agent-evaluations/runs/{runId}/results: a page of the results, grouped by case. The page is cut from the outline
 * of the run, which is small; only the rows of the page are read, unless a scorer is named.
 */
export function listResults({ runs, results, gradings, awaited }: Dependencies): Handler {
  async function readBaseline(projectId: string, run: StoredRun, baselineId: string | null, scorerId: string | null) {
    if (baselineId === null) return new Map<number, number>();
    const baseline = await requireRun(runs, projectId, baselineId);
    if (baseline.datasetId !== run.datasetId) {
      throw new AppError("bad_request", "The baseline is a run of another dataset");
    }
    const scorer = scorerOf(await gradings.planOf(projectId, baseline), scorerId);
    const rows = await readRatings(results, { projectId, runId: baseline.id, scorer });
    const placeOf = await readPlaces(gradings, projectId, [baseline, run]);
    return alignRatings(summarizeRatings(baseline.id, false, rows), placeOf).caseRatings;
  }

  return async (call) => {
    const projectId = requireProject(call);
    const { limit, cursor, filter, order, scorer, baselineId } = readQuery(call.query);
    const run = await requireRun(runs, projectId, call.params.runId);
    await awaited.ofRun(projectId, run, call.identity.requestId);
    const { cases, plan } = await gradings.ofRun(projectId, run);
    const scorerId = findScorer([plan], scorer)?.id ?? null;
    const baseline = await readBaseline(projectId, run, baselineId, scorerId);
    const outline = await readRatings(results, { projectId, runId: run.id, scorer: scorerOf(plan, scorerId) });
    const listed = list(outline, { filter, order, baseline });
    const from = cursor === null ? 0 : listed.findIndex(({ result }) => result.id === cursor) + 1;
    if (cursor !== null && from === 0) throw new AppError("bad_request", "Unknown cursor");
    const page = listed.slice(from, from + limit);

    const whole = { rows: page, hasNextPage: from + limit < listed.length, isCut: false };
    const known = new Map(page.map(({ result, ofCase }) => [result.id, ofCase]));
    const rows = results.pagesOf(projectId, [...known.keys()]);
    return answerPieces(
      (async function* () {
        const given = { rows: 0, bytes: 0 };
        yield '{"results":[';
        yield* joinRows(rows, (result) => {
          const { questionIndex, id } = result;
          const expected = questionIndex === null ? null : (cases[questionIndex]?.expectedResults ?? null);
          const added = JSON.stringify({ expected, ofCase: known.get(id) });
          const text = `${added.slice(0, -1)},${showResult(result).slice(1)}`;
          given.bytes += text.length;
          if (given.rows > 0 && given.bytes > limits.listBytesMax) return null;
          given.rows += 1;
          return text;
        });
        const members: Omit<Reply, "results"> = {
          totalCount: listed.length,
          caseCount: countCases(listed),
          ...endOfPage(firstOf(whole, given.rows), ({ result }) => result.id),
        };
        yield `],${JSON.stringify(members).slice(1)}`;
      })(),
    );
  };
}

interface ResultQuery {
  limit: number;
  cursor: string | null;
  filter: ResultFilter;
  order: ResultOrder;
  scorer: string | null;
  baselineId: string | null;
}

const statuses = ["scored", "skipped", "failed"] as const;

function readQuery(query: Query): ResultQuery {
  return {
    limit: readLimit(query, { byDefault: limits.resultPageDefault, max: limits.resultPageMax }),
    cursor: readCursor(query, "the id of a result"),
    filter: {
      status: readOneOf(query, "status", statuses),
      questionIndex: readNumber(query, "questionIndex"),
      resultId: readParameter(query, "resultId"),
      ratingAbove: readNumber(query, "ratingAbove"),
      ratingMax: readNumber(query, "ratingMax"),
    },
    order: readOneOf(query, "sort", resultOrders) ?? "case",
    scorer: readParameter(query, "scorer"),
    baselineId: readParameter(query, "baseline"),
  };
}
