import { forEachInSlices, mapInSlices, runAtOnce, type Sliced } from "@touchstone/service-kit";
import { withoutAgentPrefix, withoutOperation } from "../messages/operation-name.ts";
import type { Derivation } from "../model/derivation.ts";
import { sameTokens, type TokenList } from "../model/token-list.ts";
import { writeToolTally } from "../model/tool-tally.ts";
import { atTop, byEndDescending, first, hasInput, hasOutput, lendInput, lendOutput } from "./borrow-content.ts";
import { type CallSources, chooseCalls, findCountedCalls } from "./choose-calls.ts";
import { type RolledTokens, rollTokensInSlices } from "./roll-tokens.ts";
import { findTraceWide, type TraceWide } from "./trace-wide.ts";
import {
  byStart,
  descendants,
  earliest,
  fromLast,
  growTreeInSlices,
  saying,
  type Tree,
  type TreeFragment,
  type TreeNode,
  type TreeSpan,
} from "./tree.ts";

/** The derived values of a row; see the columns of `ingest.spans`. */
export interface DerivedSpan {
  id: string;
  isRoot: boolean;
  /** It is a root only because its parent did not arrive. */
  isPromoted: boolean;
  name: string;
  model: string | null;
  /** The model is that of a call below a root that names none. */
  borrowsModel: boolean;
  /** Roots: the session of the trace, null if it is named like the trace. Children: the span's own. */
  sessionId: string | null;
  /** Roots only. */
  agentName: string | null;
  hasError: boolean;
  /** Null = same as its own. */
  aggTokens: TokenList | null;
  /** The tokens of the trace that no other span accounts for. */
  netTokens: TokenList | null;
  /** The tool call that it counts for (see model/tool-tally.ts); null = none. */
  tools: string | null;
  /** JSON of a {@link Derivation}; null = nothing. */
  derived: string | null;
}

/** The derived values of a whole trace. */
export interface DerivedTrace {
  /** Stated by any of its spans; see {@link TraceWide}. */
  sessionId: string | null;
  /** JSON of the user, environment and tags; null if none was stated. */
  shared: string | null;
  /** One for each span, in no particular order. */
  spans: DerivedSpan[];
  /** The agent of the earliest root. */
  agentName: string | null;
  /** In a trace without root, the row to promote if no parent arrives. */
  firstOrphan: string | null;
}

/** The maximum number of models listed on one row. */
const modelsMax = 20;

/**
 * Derives the values that depend on all spans and log fragments of a trace (otlp 5.3, 5.4, 6, 7). The result does not
 * depend on their order or on how they were split into exports. Span ids must be unique.
 */
export function deriveTrace(spans: readonly TreeSpan[], fragments: readonly TreeFragment[]): DerivedTrace {
  return runAtOnce(deriveTraceInSlices(spans, fragments));
}

/** As {@link deriveTrace}, with points to pause: a trace may have hundreds of thousands of spans. */
export function* deriveTraceInSlices(
  spans: readonly TreeSpan[],
  fragments: readonly TreeFragment[],
): Sliced<DerivedTrace> {
  const tree = yield* growTreeInSlices(spans, fragments);
  const wide = yield* findTraceWide(tree);
  const rolled = yield* rollTokensInSlices(tree);
  const calls = yield* chooseCalls(tree);
  const counted = yield* findCountedCalls(tree);
  const errorsBelow = yield* countErrorsBelow(tree);
  const derivedSpans = yield* mapInSlices(tree.nodes, (node): DerivedSpan => {
    const { span, isRoot } = node;
    const below = isRoot ? descendants(tree, node) : [];
    const derived = deriveRow(node, below, { calls: calls.get(node), childErrors: errorsBelow[node.position] ?? 0 });
    if (isRoot) Object.assign(derived, inherited(span, wide));
    const { whole, net } = rolled[node.position] as RolledTokens;
    const ownModel = modelOf(node);
    const borrowedModel = isRoot && ownModel === null ? modelBelow(below) : null;
    return {
      id: span.id,
      isRoot,
      isPromoted: isRoot && span.isPromoted && !span.parentIsRemote && hasMissingParent(node),
      name: nameOf(node),
      model: ownModel ?? borrowedModel,
      borrowsModel: borrowedModel !== null,
      sessionId: isRoot ? wide.sessionId : (span.facts.session ?? null),
      agentName: isRoot ? agentOf(node, below) : null,
      hasError: hasFailed(node),
      aggTokens: sameTokens(whole, span.ownTokens) ? null : whole,
      netTokens: net,
      tools: counted.has(node)
        ? writeToolTally([{ name: span.facts.toolName ?? nameOf(node), hasFailed: hasFailed(node) }])
        : null,
      derived: textOf(derived),
    };
  });
  const [root] = tree.roots;
  return {
    sessionId: wide.sessionId,
    shared: textOf(wide.shared),
    spans: derivedSpans,
    agentName: root === undefined ? null : (derivedSpans[root.position]?.agentName ?? null),
    firstOrphan: root === undefined ? (tree.orphans[0]?.span.id ?? null) : null,
  };
}

function deriveRow(
  node: TreeNode,
  below: readonly TreeNode[],
  { calls, childErrors }: { calls: CallSources | undefined; childErrors: number },
): Derivation {
  const derived: Derivation = {};
  if (node.isRoot) {
    const input = hasInput(node) ? null : lendInput(below);
    const output = hasOutput(node) ? null : lendOutput(below);
    if (input !== null) derived.inputFrom = input.span.id;
    if (output !== null) derived.outputFrom = output.span.id;
  }
  if (calls !== undefined && calls.tools.length > 0) derived.toolsFrom = calls.tools.map(({ span }) => span.id);
  if (calls !== undefined && calls.models.length > 0) derived.callsFrom = calls.models.map(({ span }) => span.id);
  if (childErrors > 0 && (node.isRoot || node.span.kind === "agent")) derived.childErrors = childErrors;
  if (node.isRoot) {
    const models = listModels(below);
    if (models.length > 1) derived.models = models;
  }
  if (node.fragments.length > 0) derived.hasFragments = true;
  return derived;
}

function inherited({ facts }: TreeSpan, { shared }: TraceWide): Derivation {
  const more = { ...shared };
  if (facts.userId !== undefined) delete more.userId;
  if (facts.environment !== undefined) delete more.environment;
  if (facts.tags !== undefined) delete more.tags;
  return more;
}

function textOf(object: object): string | null {
  for (const _member in object) return JSON.stringify(object);
  return null;
}

function hasMissingParent({ span, parent }: TreeNode): boolean {
  return parent === null && span.parentSpanId !== null && span.parentSpanId !== "" && span.parentSpanId !== span.spanId;
}

/** A root is named after its agent, any other span after itself; the span states both names. */
function nameOf({ span, isRoot }: TreeNode): string {
  const { facts, parentSpanId, spanId, parentIsRemote } = span;
  if (!isRoot) return facts.asChild ?? facts.name;
  const saidAsRoot = parentIsRemote || parentSpanId === null || parentSpanId === "" || parentSpanId === spanId;
  return saidAsRoot ? facts.name : (facts.agent ?? withoutAgentPrefix(facts.name));
}

/** The agent of a root: its own, the first below it, else the fallback. */
function agentOf(node: TreeNode, below: readonly TreeNode[]): string {
  const own = saying(node, node.span.facts.agent, "agentName");
  if (own !== null) return own;
  const named = below.filter((member) => saying(member, member.span.facts.agent, "agentName") !== null);
  const agents = named.filter(({ span }) => span.kind === "agent");
  const member = first(atTop(agents.length > 0 ? agents : named), byStart);
  return (
    (member === null ? null : saying(member, member.span.facts.agent, "agentName")) ?? withoutOperation(nameOf(node))
  );
}

function modelOf(node: TreeNode): string | null {
  return saying(node, node.span.facts.model, "model");
}

/** The model of the shallowest call that ended last (otlp 6, root.model). */
function modelBelow(below: readonly TreeNode[]): string | null {
  const calls = below.filter((node) => node.span.kind === "llm" && modelOf(node) !== null);
  const last = first(atTop(calls), byEndDescending);
  return last === null ? null : modelOf(last);
}

/** The models of leaf calls, ordered by first use. */
function listModels(below: readonly TreeNode[]): string[] {
  const firstUses = new Map<string, TreeNode>();
  for (const node of below) {
    if (node.span.kind !== "llm" || node.children.length > 0) continue;
    const model = modelOf(node);
    if (model === null) continue;
    const known = firstUses.get(model);
    if (known === undefined || byStart(node, known) < 0) firstUses.set(model, node);
  }
  return earliest(firstUses.values(), modelsMax).map((node) => modelOf(node) as string);
}

function hasFailed(node: TreeNode): boolean {
  return node.span.facts.failed === true || saying(node, null, "error") !== null;
}

function* countErrorsBelow({ nodes }: Tree): Sliced<number[]> {
  const below = nodes.map(() => 0);
  yield* forEachInSlices(fromLast(nodes), (node) => {
    if (node.parent === null) return;
    const { position } = node.parent;
    below[position] = (below[position] ?? 0) + (below[node.position] ?? 0) + (hasFailed(node) ? 1 : 0);
  });
  return below;
}
