import { z } from "zod";
import { limits } from "../limits.ts";

/** Query of a list that has all its rows on one page, unless they are many megabytes. */
export const listQuery = z.object({
  limit: z.string().optional().describe(`1 to ${limits.listRowsMax}, the default`),
  cursor: z.string().optional().describe("The row to continue after; take it from nextCursor"),
});

/** Query of a list of a few documents, which is on one page unless they are many megabytes. */
export const documentListQuery = listQuery.pick({ cursor: true });

/** Query of a list of versions. */
export const versionListQuery = z.object({
  limit: z.string().optional().describe(`1 to ${limits.versionsListedMax}, the default`),
  cursor: z.string().optional().describe("The number of the version to continue after"),
});

export const truncatedBy = z
  .literal("bytes")
  .optional()
  .describe(`The page ends early, because it would have had more than ${limits.listBytesMax} bytes`);

/** The end of a list's page. */
export const pageEnd = {
  hasNextPage: z.boolean(),
  nextCursor: z.string().nullable(),
  truncatedBy,
};

/** The same for a list that usually fits on one page: empty, unless there is a next page. */
export const listEnd = {
  hasNextPage: z.literal(true).optional(),
  nextCursor: z.string().optional(),
  truncatedBy,
};
