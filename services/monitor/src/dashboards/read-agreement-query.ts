import { agreementCell, isUuid } from "@touchstone/contracts";
import { AppError, type Call } from "@touchstone/service-kit";
import type { AgreementCell, PairPosition } from "./pair-reader.ts";

/** The scorer in the path; null for a key that no scorer can have, since PostgreSQL text cannot contain NUL. */
export function readScorerKey({ params }: Pick<Call, "params">): string | null {
  const { scorerKey = "" } = params;
  return scorerKey === "" || scorerKey.includes("\0") ? null : scorerKey;
}

/** Null: every version. */
export function readVersion(value: string | readonly string[] | undefined): number | null {
  if (value === undefined || value === "") return null;
  const version = Number(value);
  if (!Number.isInteger(version) || version < 1 || version > 2_147_483_647) {
    throw new AppError("bad_request", "version must be a positive integer");
  }
  return version;
}

/** Null: every cell. */
export function readCell(value: string | readonly string[] | undefined): AgreementCell | null {
  if (value === undefined || value === "") return null;
  const read = agreementCell.safeParse(value);
  if (read.success) return read.data;
  throw new AppError("bad_request", `cell must be one of: ${agreementCell.options.join(", ")}`, { cause: read.error });
}

/** The cursor that {@link readPosition} parses. */
export const writePosition = ({ micros, traceId }: PairPosition): string => `${micros}.${traceId}`;

/** Null: from the beginning. */
export function readPosition(cursor: string | readonly string[] | undefined): PairPosition | null {
  if (cursor === undefined || cursor === "") return null;
  const [micros = "", traceId = ""] = String(cursor).split(".");
  // Sixteen digits suffice until the year 2286.
  if (!/^\d{1,16}$/.test(micros) || !isUuid(traceId)) throw new AppError("bad_request", "Unknown cursor");
  return { micros, traceId };
}
