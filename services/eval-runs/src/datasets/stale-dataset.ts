import { type Answer, AppError, type Call } from "@touchstone/service-kit";
import { readText } from "../queries/read-query.ts";
import { questionTextsOf } from "./change-cases.ts";
import type { StoredDataset } from "./dataset-store.ts";

/** Thrown while a dataset is locked: it is at another version than the one that a change was made of. */
class StaleDataset extends Error {
  override readonly name = "StaleDataset";
  readonly read: number;
  readonly current: StoredDataset;

  constructor(read: number, current: StoredDataset) {
    super(`The dataset changed since it was read: it is at version ${current.version}, not ${read}`);
    this.read = read;
    this.current = current;
  }
}

/** Throws {@link StaleDataset} unless the dataset is at the version that was read; null = whatever version it is at. */
export function requireVersion(current: StoredDataset, read: number | null): void {
  if (read !== null && current.version !== read) throw new StaleDataset(read, current);
}

/** The version of the dataset that a change was made of; null = not given. Throws `bad_request` for what is no version. */
export function readVersion(call: Call): number | null {
  const text = readText(call.query, "version");
  if (text === null) return null;
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new AppError("bad_request", "version must be the number of a version");
  return Number(text);
}

/** The same where it has to be given: a case is named by its place, which other changes move. */
export function requireReadVersion(call: Call): number {
  const version = readVersion(call);
  if (version === null) throw new AppError("bad_request", "version is required: the one of the dataset that was read");
  return version;
}

/**
 * Answers 409 with the newest version when the dataset changed since it was read. Of a single case also what now stands in
 * its place, so that both can be shown.
 */
export async function answeringStale(work: () => Promise<Answer>, questionIndex?: number): Promise<Answer> {
  try {
    return await work();
  } catch (thrown) {
    if (!(thrown instanceof StaleDataset)) throw thrown;
    const { version, document } = thrown.current;
    const head = JSON.stringify({ error: thrown.message, version }).slice(0, -1);
    const inPlace = questionIndex === undefined ? "" : `,"case":${questionTextsOf(document)[questionIndex] ?? "null"}`;
    return { status: 409, body: `${head}${inPlace}}` };
  }
}
