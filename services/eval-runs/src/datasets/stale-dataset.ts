import { type Answer, AppError, type Call, readParameter } from "@touchstone/service-kit";
import { StaleDataset } from "./dataset-edits.ts";

/**
 * The version of the dataset that a change is based on; null = not given. Throws `bad_request` for a malformed version.
 */
export function readVersion(call: Call): number | null {
  const text = readParameter(call.query, "version");
  if (text === null) return null;
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new AppError("bad_request", "version must be the number of a version");
  return Number(text);
}

/** The same where it is required: a case is named by its index, which other changes move. */
export function requireReadVersion(call: Call): number {
  const version = readVersion(call);
  if (version === null) throw new AppError("bad_request", "version is required: the one of the dataset that was read");
  return version;
}

/**
 * Responds with 409 and the newest version when the dataset changed since it was read. For a single case the response includes
 * the current case at that index, so that a client can show both.
 */
export async function answeringStale(work: () => Promise<Answer>): Promise<Answer> {
  try {
    return await work();
  } catch (thrown) {
    if (!(thrown instanceof StaleDataset)) throw thrown;
    const { message, version, caseText } = thrown;
    const head = JSON.stringify({ error: message, version }).slice(0, -1);
    return { status: 409, body: `${head}${caseText === null ? "" : `,"case":${caseText}`}}` };
  }
}
