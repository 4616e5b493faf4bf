import { forEachInSlices, type Sliced } from "@touchstone/service-kit";
import type { Derivation } from "../model/derivation.ts";
import { byStart, saying, type Tree, type TreeNode } from "./tree.ts";

/** Values of any span that hold for the whole trace. */
export interface TraceWide {
  /** Null = no span states one. */
  sessionId: string | null;
  shared: Pick<Derivation, "userId" | "environment" | "tags">;
}

/** One value holds for the trace: a root's, else the shallowest span's, else the earliest one's (otlp 6, Session). */
export function* findTraceWide({ nodes }: Tree): Sliced<TraceWide> {
  const session = weigh<string>();
  const user = weigh<string>();
  const environment = weigh<string>();
  const tags = weigh<string[]>();
  yield* forEachInSlices(nodes, (node) => {
    const { facts } = node.span;
    session.consider(node, saying(node, facts.session, "sessionId"));
    user.consider(node, saying(node, facts.userId, "userId"));
    environment.consider(node, facts.environment);
    tags.consider(node, facts.tags);
  });
  const shared: TraceWide["shared"] = {};
  const [userId, environmentName, tagList] = [user.said(), environment.said(), tags.said()];
  if (userId !== undefined) shared.userId = userId;
  if (environmentName !== undefined) shared.environment = environmentName;
  if (tagList !== undefined) shared.tags = tagList;
  return { sessionId: session.said() ?? null, shared };
}

/** Keeps the value from the shallowest, then the earliest span. */
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
