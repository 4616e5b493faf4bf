import { AppError, type Clock, type Handler, Pieces, readJsonBytes, requireProject } from "@touchstone/service-kit";
import type { DatasetBook } from "./dataset-change-store.ts";
import type { WorkOnDataset } from "./dataset-work.ts";
import { datasetNotFound, requireDatasetId, requireQuestionIndex } from "./require-dataset.ts";
import { answeringStale, requireReadVersion } from "./stale-dataset.ts";

/**
 * PUT /custom-agent-evaluations/datasets/{datasetId}/cases/{questionIndex}: replaces a case, or appends one after the last. A
 * case that is already stored as sent counts as done, so a call whose response was lost can be repeated.
 */
export function putCase({ book, work, clock }: { book: DatasetBook; work: WorkOnDataset; clock: Clock }): Handler {
  return async (call) => {
    const projectId = requireProject(call);
    // First, so that an unreadable body is 400 for any path.
    const body = await readJsonBytes(call);
    const mistake = await work("findCaseMistake", { body }, { projectId, size: body.length });
    const id = requireDatasetId(call);
    const index = requireQuestionIndex(call);
    const read = requireReadVersion(call);
    if (mistake !== null) throw new AppError("bad_request", mistake);

    const text = withoutMark(body);
    return answeringStale(async () => {
      const edit = { name: "putCase", input: { text, index, read } } as const;
      const dataset = await book.update(projectId, id, edit, new Date(clock.now()), { size: text.length });
      if (dataset === null) return datasetNotFound();
      const before = dataset.outcome;
      const isNew = index === before;
      const head = { version: dataset.version, caseCount: isNew ? before + 1 : before, questionIndex: index };
      const around = [`${JSON.stringify(head).slice(0, -1)},"case":`, "}"].map((part) => Buffer.from(part));
      return { status: isNew ? 201 : 200, body: new Pieces([around[0] as Buffer, text, around[1] as Buffer]) };
    });
  };
}

/** The text of a body, which may begin with a byte order mark. */
const withoutMark = (body: Buffer): Buffer => (body.indexOf("\ufeff") === 0 ? body.subarray(3) : body);
