import { AppError } from "@touchstone/service-kit";

/** The version of a dataset was replaced or deleted since it was looked up. */
export class VersionGone extends AppError {
  constructor(sentence = "Dataset not found", cause?: unknown) {
    super("not_found", sentence, { cause });
  }
}

/** Versions may be replaced as fast as items of a dataset arrive. */
const attemptsMax = 5;

/**
 * Does work that looks up the newest version of a dataset and then uses it, again if a change replaced that version meanwhile. The
 * last {@link VersionGone} reaches the caller: its sentence is that of a dataset that does not exist.
 */
export async function whileVersionsChange<Result>(work: () => Promise<Result>): Promise<Result> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work();
    } catch (thrown) {
      if (!(thrown instanceof VersionGone) || attempt === attemptsMax) throw thrown;
    }
  }
}
