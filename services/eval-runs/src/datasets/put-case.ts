import { limits } from "@touchstone/contracts";
import {
  AppError,
  type Clock,
  compactText,
  type Handler,
  isDeeperThan,
  readJsonObject,
  requireProject,
} from "@touchstone/service-kit";
import { questionTextsOf, replaceQuestions } from "./change-cases.ts";
import { findQuestionMistake } from "./check-question.ts";
import type { DatasetBook } from "./dataset-book.ts";
import { caseNotFound, datasetNotFound, requireDatasetId, requireQuestionIndex } from "./require-dataset.ts";
import { answeringStale, requireReadVersion, requireVersion } from "./stale-dataset.ts";

/** A case is nested in a list within the document, and the document may be nested when it is sent back. */
const caseDepthMax = limits.jsonDepthMax - 2;

/**
 * PUT /custom-agent-evaluations/datasets/{datasetId}/cases/{questionIndex}: replaces a case, or appends one after the last. A
 * case that is already stored as sent counts as done, so a call whose response was lost can be repeated.
 */
export function putCase({ book, clock }: { book: DatasetBook; clock: Clock }): Handler {
  return async (call) => {
    const projectId = requireProject(call);
    // First, so that an unreadable body is 400 for any path.
    const { text, value } = await readJsonObject(call);
    const id = requireDatasetId(call);
    const index = requireQuestionIndex(call);
    const read = requireReadVersion(call);
    const mistake = isDeeperThan(value, caseDepthMax)
      ? `The case nests deeper than ${caseDepthMax} levels`
      : findQuestionMistake(value, "case");
    if (mistake !== null) throw new AppError("bad_request", mistake);

    return answeringStale(async () => {
      let before = 0;
      const dataset = await book.update(
        projectId,
        id,
        (current) => {
          const texts = questionTextsOf(current.document);
          before = texts.length;
          const inPlace = texts[index];
          if (inPlace !== undefined && compactText(inPlace) === compactText(text)) return current.document;
          requireVersion(current, read);
          if (index > before) caseNotFound();
          return replaceQuestions(current.document, () => [...texts.slice(0, index), text, ...texts.slice(index + 1)]);
        },
        new Date(clock.now()),
      );
      if (dataset === null) datasetNotFound();
      const isNew = index === before;
      const head = { version: dataset.version, caseCount: isNew ? before + 1 : before, questionIndex: index };
      return { status: isNew ? 201 : 200, body: `${JSON.stringify(head).slice(0, -1)},"case":${text}}` };
    }, index);
  };
}
