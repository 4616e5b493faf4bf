/**
 * What the modules that computing threads load import of this library: the cutting and reading of JSON, ids, and expected
 * failures. `index.ts` would load servers and schemas into each thread, which take a tenth of a second and 60 MB.
 *
 * Names that are here and there are the same: a module that is used in both places imports them from here.
 */
export { AppError, isAppError } from "./app-error.ts";
export { Moved } from "./compute/compute-task.ts";
export { uuidv7 } from "./ids.ts";
export {
  decodeJsonText,
  isDeeperThan,
  isJsonObject,
  type JsonMembers,
  type JsonObject,
  parseJsonText,
  readJsonObjectText,
} from "./json.ts";
export {
  compactText,
  elementsOf,
  type JsonMember,
  membersOf,
  memberText,
  objectText,
  objectTexts,
} from "./json-text.ts";
export { runAtOnce } from "./run-in-slices.ts";
