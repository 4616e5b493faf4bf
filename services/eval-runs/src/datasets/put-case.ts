import { limits } from "@touchstone/contracts";
import {
  AppError,
  type Clock,
  type Handler,
  isDeeperThan,
  readJsonObject,
  requireProject,
} from "@touchstone/service-kit";
import { compactText } from "../json/json-text.ts";
import { questionTextsOf, replaceQuestions } from "./change-cases.ts";
import { findQuestionMistake } from "./check-question.ts";
import type { DatasetBook } from "./dataset-book.ts";
import { caseNotFound, datasetNotFound, requireDatasetId, requireQuestionIndex } from "./require-dataset.ts";
import { answeringStale, requireReadVersion, requireVersion } from "./stale-dataset.ts";

/** A case stands in a list, and that in a document which may be sent back. */
const caseDepthMax = limits.jsonDepthMax - 2;

/**
 * PUT /custom-agent-evaluations/datasets/{datasetId}/cases/{questionIndex}: one case anew, or one more behind the last. What
 * already stands there as it was sent is taken as done, so that a call whose answer was lost can be sent again.
 */
export function putCase({ book, clock }: { book: DatasetBook; clock: Clock }): Handler {
  return async (call) => {
    const projectId = requireProject(call);
    // First: a body that cannot be read is 400 whatever the path names.
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
