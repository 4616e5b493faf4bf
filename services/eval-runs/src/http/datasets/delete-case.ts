import type { deletedCase } from "@touchstone/contracts";
import type { Clock, Handler } from "@touchstone/service-kit";
import { requireProject } from "@touchstone/service-kit";
import type { z } from "zod";
import { questionTextsOf, replaceQuestions } from "../../datasets/change-cases.ts";
import type { DatasetBook } from "../../datasets/dataset-book.ts";
import { answeringStale, requireReadVersion } from "../../datasets/read-version.ts";
import {
  caseNotFound,
  datasetNotFound,
  requireDatasetId,
  requireQuestionIndex,
} from "../../datasets/require-dataset.ts";
import { requireVersion } from "../../datasets/stale-dataset.ts";

/**
 * DELETE /custom-agent-evaluations/datasets/{datasetId}/cases/{questionIndex}: the cases behind it move up. Earlier versions
 * keep it, and so do runs of them.
 */
export function deleteCase({ book, clock }: { book: DatasetBook; clock: Clock }): Handler {
  return async (call) => {
    const projectId = requireProject(call);
    const id = requireDatasetId(call);
    const index = requireQuestionIndex(call);
    const read = requireReadVersion(call);

    return answeringStale(async () => {
      const dataset = await book.update(
        projectId,
        id,
        (current) => {
          requireVersion(current, read);
          if (index >= questionTextsOf(current.document).length) caseNotFound();
          return replaceQuestions(current.document, (texts) => texts.toSpliced(index, 1));
        },
        new Date(clock.now()),
      );
      if (dataset === null) datasetNotFound();
      const caseCount = questionTextsOf(dataset.document).length;
      const reply: z.input<typeof deletedCase> = { deleted: true, version: dataset.version, caseCount };
      return { status: 200, body: reply };
    }, index);
  };
}
