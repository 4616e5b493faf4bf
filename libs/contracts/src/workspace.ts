import { z } from "zod";

/**
 * On an answer whose request was served although part of it was ignored: a sentence that describes it. A client may
 * ignore the header.
 */
export const warningHeader = "x-touchstone-warning";

/** The {@link warningHeader} when a client names a workspace that cannot belong to this installation. */
export const workspaceIgnored =
  "The workspace that was named is none of this installation; the project of the key was used.";

/**
 * The project of a body. The key alone determines it; this only confirms it. Schemas take any value, as what is no text is
 * 403 like another project's id.
 */
export const submittedWorkspaceId = z.unknown().meta({
  type: "string",
  description:
    "The project of the key, by its id or as `local`; another one is 403. Without accounts an id that cannot be one of " +
    "this installation is ignored, and the answer has x-touchstone-warning.",
});
