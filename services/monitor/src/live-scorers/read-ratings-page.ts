import { isUuid, limits } from "@touchstone/contracts";
import { AppError, type Call } from "@touchstone/service-kit";
import { readCappedCount, readPeriod } from "../model/read-page.ts";
import type { RatingPosition, RatingsPage } from "./judgement-reader.ts";

/** The page of a list of ratings; without `from` it begins at `since`. Throws 400 for what cannot be read. */
export function readRatingsPage(call: Pick<Call, "query">, since: Date): RatingsPage {
  const { limit, cursor } = call.query;
  const { from, to } = readPeriod(call);
  return { since: from ?? since, until: to, limit: readCappedCount("limit", limit), after: readPosition(cursor) };
}

/** The cursor that {@link readRatingsPage} parses. */
export const writePosition = ({ rating, micros, id }: RatingPosition): string => `${rating}_${micros}_${id}`;

/** Null: from the beginning. */
function readPosition(cursor: string | readonly string[] | undefined): RatingPosition | null {
  if (cursor === undefined || cursor === "") return null;
  const [text = "", micros = "", id = ""] = String(cursor).split("_");
  const rating = /^\d/.test(text) ? Number(text) : Number.NaN;
  const isRating = rating >= limits.ratingMin && rating <= limits.ratingMax;
  // Sixteen digits suffice until the year 2286.
  if (!isRating || !/^\d{1,16}$/.test(micros) || !isUuid(id)) throw new AppError("bad_request", "Unknown cursor");
  return { rating, micros, id };
}
