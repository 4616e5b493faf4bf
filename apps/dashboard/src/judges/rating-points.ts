/** The number of ratings in all points, and their mean; null without ratings. */
export function meanOf(points: readonly { averageRating: number | null; count: number }[]): {
  count: number;
  mean: number | null;
} {
  const count = points.reduce((sum, point) => sum + point.count, 0);
  const total = points.reduce((sum, { averageRating, count: rated }) => sum + (averageRating ?? 0) * rated, 0);
  return { count, mean: count === 0 ? null : total / count };
}

/** The hash of the URL that brings the list of ratings into view. */
export const ratingsHash = "ratings";
