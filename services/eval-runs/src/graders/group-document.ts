import { limits } from "@touchstone/contracts";
import { AppError, isJsonObject } from "@touchstone/service-kit";
import { requireGraderName } from "./config-document.ts";

/** A member of a scorer group as it is stored (completions 4.4). */
export interface StoredMember {
  kind: "judge" | "pattern" | "custom";
  refId: string;
  weight: number;
  /** A must-pass member. */
  gate: boolean;
}

/** The editable content of a scorer group. */
export interface GroupDocument {
  name: string;
  description?: string;
  members: readonly StoredMember[];
}

/**
 * The new content of a group: sent members, else stored ones. Throws `bad_request` for the first rule that is broken; the
 * caller checks that members exist.
 */
export function composeGroupDocument(
  sent: Readonly<Record<string, unknown>>,
  stored: GroupDocument | null,
): GroupDocument {
  const { name = stored?.name, members = stored?.members, description = stored?.description } = sent;
  if (typeof name !== "string" || name.trim() === "") throw new AppError("bad_request", "name is required");
  requireGraderName(name);
  if (description !== undefined && description !== null && typeof description !== "string") {
    throw new AppError("bad_request", "description must be a string");
  }
  return { name, ...(typeof description === "string" && { description }), members: readMembers(members) };
}

const kinds: readonly unknown[] = ["pattern", "custom"];

/** completions 4.4, member normalisation. */
function readMembers(value: unknown): StoredMember[] {
  if (!Array.isArray(value)) throw new AppError("bad_request", "members must be an array");
  if (!value.every(isJsonObject)) throw new AppError("bad_request", "Every members entry must be an object");
  if (value.length > limits.groupMembersMax) {
    throw new AppError("bad_request", `members must have at most ${limits.groupMembersMax} entries`);
  }
  return value.flatMap(({ kind, refId, weight, gate }) => {
    if (typeof refId !== "string" || refId === "") return [];
    const known = kinds.includes(kind) ? (kind as StoredMember["kind"]) : "judge";
    return [{ kind: known, refId, weight: readWeight(weight), gate: gate === true }];
  });
}

/** A weight that is not a number is the default; a number that is not finite and positive is 0. */
function readWeight(weight: unknown): number {
  if (typeof weight !== "number") return 1;
  return Number.isFinite(weight) && weight > 0 ? weight : 0;
}
