import type { prompt } from "@touchstone/contracts";
import type { z } from "zod";
import type { StoredPrompt } from "./prompt-store.ts";

/** A prompt as clients read it (completions 14). */
export function showPrompt(stored: StoredPrompt): z.input<typeof prompt> {
  return {
    _id: stored.id,
    name: stored.name,
    ...(stored.description !== null && { description: stored.description }),
    version: stored.version,
    text: stored.text,
    createdAt: stored.createdAt.toISOString(),
    updatedAt: stored.updatedAt.toISOString(),
  };
}
