import type { Identity, RecordedAct } from "@touchstone/contracts";
import { AppError } from "./app-error.ts";
import { uuidv7 } from "./ids.ts";

/** The actor, project and request id that accompany every administrative act to the service that performs it. */
export type Act = Pick<RecordedAct, "projectId" | "organizationId" | "actor" | "requestId">;

/** What was done, to what. */
export interface Deed {
  action: string;
  /** Omitted: the project as a whole. */
  targetId?: string;
  /** The changes, for display. Never a secret, not even in part. */
  details?: Readonly<Record<string, string | number | boolean | null>>;
}

/** Texts in the details are truncated to this length: the log gives an idea of them, not the whole. */
const detailMaxChars = 200;

/** The act of a request on a project. Throws 401 for one without a project. */
export function actOf({ userId, projectId, organizationId, requestId }: Identity): Act {
  if (projectId === null) throw new AppError("unauthorized", "Invalid or missing API key");
  const actor = userId === null ? { type: "key" as const, id: projectId } : { type: "user" as const, id: userId };
  return { projectId, organizationId, actor, requestId };
}

/** The event that reports an act to auth; to be committed with it (decision 34). */
export function composeRecordedAct(act: Act, { action, targetId, details = {} }: Deed): RecordedAct {
  const now = Date.now();
  return {
    ...act,
    id: uuidv7(now),
    action,
    targetId: targetId ?? null,
    details: Object.fromEntries(Object.entries(details).map(([name, value]) => [name, cut(value)])),
    at: new Date(now).toISOString(),
  };
}

/** The names of the members that differ, in alphabetical order; empty when nothing changed. Values are not included. */
export function namesOfChanged(before: object, after: object): string {
  const [old, current] = [new Map(Object.entries(before)), new Map(Object.entries(after))];
  return [...new Set([...old.keys(), ...current.keys()])]
    .filter((name) => JSON.stringify(old.get(name)) !== JSON.stringify(current.get(name)))
    .sort()
    .join(", ");
}

/** In a form that can be stored: the log accepts only text that PostgreSQL accepts. */
function cut<Value>(value: Value): Value | string {
  if (typeof value !== "string") return value;
  const text = value.replaceAll("\0", "");
  return text.length <= detailMaxChars ? text.toWellFormed() : `${text.slice(0, detailMaxChars).toWellFormed()}…`;
}
