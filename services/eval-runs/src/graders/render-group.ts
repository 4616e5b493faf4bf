import type { scorerGroupReply } from "@touchstone/contracts";
import type { z } from "zod";
import type { StoredGroup } from "./group-store.ts";

type ScorerGroup = z.input<typeof scorerGroupReply>["scorerGroup"];

/** A scorer group as clients read it (completions 4.4). */
export function renderGroup({
  id,
  name,
  description,
  members,
  online,
  createdAt,
  updatedAt,
}: StoredGroup): ScorerGroup {
  return {
    _id: id,
    name,
    ...(description !== undefined && { description }),
    members: [...members],
    online,
    createdAt: createdAt.toISOString(),
    updatedAt: updatedAt.toISOString(),
  };
}
