import { z } from "zod";

/**
 * On an answer whose request was served although something in it was ignored: a sentence that says what. A client that
 * shows it to nobody loses nothing.
 */
export const warningHeader = "x-touchstone-warning";

/** What {@link warningHeader} says where a client names a workspace that cannot be one of this installation. */
export const workspaceIgnored =
  "The workspace that was named is none of this installation; the project of the key was used.";

/** Which project a body is for. The key alone decides; this only says that it was meant. */
export const submittedWorkspaceId = z
  .string()
  .describe(
    "The project of the key, by its id or as `local`; another one is 403. Without accounts an id that cannot be one of " +
      "this installation is ignored, and the answer has x-touchstone-warning.",
  );
