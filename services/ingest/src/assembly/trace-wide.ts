import type { Derivation } from "../model/derivation.ts";
import { byStart, saying, type Tree, type TreeNode } from "./tree.ts";

/** What any span of a trace says for all of them. */
export interface TraceWide {
  /** Null = none states one. */
  sessionId: string | null;
  shared: Pick<Derivation, "userId" | "environment" | "tags">;
}

/** One saying holds for the trace: that of a root, else of the span highest up, else of the earliest (otlp 6, Session). */
export function findTraceWide({ nodes }: Tree): TraceWide {
  const session = weigh<string>();
  const user = weigh<string>();
  const environment = weigh<string>();
  const tags = weigh<string[]>();
  for (const node of nodes) {
    const { facts } = node.span;
    session.consider(node, saying(node, facts.session, "sessionId"));
    user.consider(node, saying(node, facts.userId, "userId"));
    environment.consider(node, facts.environment);
    tags.consider(node, facts.tags);
  }
  const shared: TraceWide["shared"] = {};
  const [userId, environmentName, tagList] = [user.said(), environment.said(), tags.said()];
  if (userId !== undefined) shared.userId = userId;
  if (environmentName !== undefined) shared.environment = environmentName;
  if (tagList !== undefined) shared.tags = tagList;
  return { sessionId: session.said() ?? null, shared };
}

/** Keeps of all that is considered what comes from highest up, then earliest. */
function weigh<Value>(): {
  consider(node: TreeNode, value: Value | null | undefined): void;
  said(): Value | undefined;
} {
  let best: TreeNode | null = null;
  let said: Value | undefined;
  return {
    consider(node, value) {
      if (value === null || value === undefined) return;
      if (best !== null && (node.depth - best.depth || byStart(node, best)) >= 0) return;
      best = node;
      said = value;
    },
    said: () => said,
  };
}
