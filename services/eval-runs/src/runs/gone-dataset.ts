import { sqlStateOf } from "@touchstone/db";
import { AppError } from "@touchstone/service-kit";

const foreignKeyViolation = "23503";

/** Stores a new run. A dataset that was deleted since it was read answers like one that was never there. */
export async function refuseGoneDataset<Result>(
  insertRun: () => Promise<Result>,
  sentence = "Dataset not found",
): Promise<Result> {
  try {
    return await insertRun();
  } catch (thrown) {
    if (sqlStateOf(thrown) !== foreignKeyViolation) throw thrown;
    throw new AppError("not_found", sentence, { cause: thrown });
  }
}
