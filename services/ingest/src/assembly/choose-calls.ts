import { filterInSlices, forEachInSlices, type Sliced } from "@touchstone/service-kit";
import { byStart, earliest, fromLast, type Tree, type TreeNode } from "./tree.ts";

/** The maximum number of rows whose calls one row shows. */
const callsMax = 50;

/** The sources of the tool calls that a root or an agent shows (otlp 6, toolCalls on a root). */
export interface CallSources {
  tools: readonly TreeNode[];
  /** Calls of models, used if there are no tool spans but a model asked for tools. */
  models: readonly TreeNode[];
}

/** The sources found below a node. Only the first ones are kept, so that the cost does not depend on depth. */
interface Gathered {
  tools: readonly TreeNode[];
  models: readonly TreeNode[];
  asksForTools: boolean;
}

const nothing: Gathered = { tools: [], models: [], asksForTools: false };

/** The sources of every root and agent that has any. */
export function* chooseCalls({ nodes }: Tree): Sliced<Map<TreeNode, CallSources>> {
  const chosen = new Map<TreeNode, CallSources>();
  const isAsked = nodes.some(asksForTools);
  if (!isAsked && !nodes.some(({ span }) => span.kind === "tool")) return chosen;
  const twins = yield* findNestedTwins(nodes);
  const gathered = new Array<Gathered>(nodes.length).fill(nothing);
  yield* forEachInSlices(fromLast(nodes), (node) => {
    const below = gather(node.children, gathered);
    const isOwnCall = node.span.kind === "tool";
    // A model without a borrower above it need not be kept.
    const isModel = isAsked && node.span.kind === "llm";
    if ((node.isRoot || node.span.kind === "agent") && !isOwnCall) {
      const whole = isModel ? withModel(node, below) : below;
      const { tools, models } = whole;
      if (tools.length > 0) chosen.set(node, { tools, models: [] });
      else if (whole.asksForTools) chosen.set(node, { tools, models });
    }
    let own = below;
    if (isModel) own = withModel(node, below);
    else if (isOwnCall && !twins.has(node)) own = { ...below, tools: firstCalls([node, ...below.tools]) };
    gathered[node.position] = own;
    // The entries of children have been passed on and are no longer needed.
    for (const child of node.children) gathered[child.position] = nothing;
  });
  return chosen;
}

function withModel(node: TreeNode, below: Gathered): Gathered {
  return {
    tools: below.tools,
    models: earliest([node, ...below.models], callsMax),
    asksForTools: below.asksForTools || asksForTools(node),
  };
}

/** True if the model asked for calls, or only a log record has its answer. */
function asksForTools({ span, fragments }: TreeNode): boolean {
  if (span.kind !== "llm") return false;
  return span.facts.callsTools === true || fragments.some(({ facts }) => facts.hasOutput);
}

function gather(children: readonly TreeNode[], gathered: readonly Gathered[]): Gathered {
  if (children.length === 0) return nothing;
  const parts = children.map(({ position }) => gathered[position] as Gathered).filter((part) => part !== nothing);
  if (parts.length <= 1) return parts[0] ?? nothing;
  return {
    tools: firstCalls(parts.flatMap(({ tools }) => tools)),
    models: earliest(
      parts.flatMap(({ models }) => models),
      callsMax,
    ),
    asksForTools: parts.some(({ asksForTools }) => asksForTools),
  };
}

/** The tool spans that count as calls: one for each call. */
export function* findCountedCalls({ nodes }: Tree): Sliced<ReadonlySet<TreeNode>> {
  const tools = nodes.filter(({ span }) => span.kind === "tool");
  if (tools.length < 2) return new Set(tools);
  const twins = yield* findNestedTwins(nodes);
  return new Set(withoutRepeats(yield* filterInSlices(tools, (tool) => !twins.has(tool))));
}

function firstCalls(tools: readonly TreeNode[]): TreeNode[] {
  return earliest(withoutRepeats(tools), callsMax);
}

/** Of the spans of one tool call, keeps the shallowest, and of these the earliest. */
function withoutRepeats(tools: readonly TreeNode[]): TreeNode[] {
  const ofCall = new Map<string, TreeNode>();
  for (const tool of tools) {
    const { toolCallId } = tool.span.facts;
    if (toolCallId === undefined) continue;
    const known = ofCall.get(toolCallId);
    if (known === undefined || (tool.depth - known.depth || byStart(tool, known)) < 0) ofCall.set(toolCallId, tool);
  }
  return tools.filter((tool) => {
    const { toolCallId } = tool.span.facts;
    return toolCallId === undefined || ofCall.get(toolCallId) === tool;
  });
}

/** Tool spans directly inside another span of the same call: the framework's and its client's. */
function* findNestedTwins(nodes: readonly TreeNode[]): Sliced<ReadonlySet<TreeNode>> {
  const twins = new Set<TreeNode>();
  if (nodes.filter(({ span }) => span.kind === "tool").length < 2) return twins;
  const outerTool = new Map<TreeNode, TreeNode>();
  yield* forEachInSlices(nodes, (node) => {
    const { parent } = node;
    const outer = parent === null ? undefined : parent.span.kind === "tool" ? parent : outerTool.get(parent);
    if (outer === undefined) return;
    outerTool.set(node, outer);
    if (node.span.kind === "tool" && isSameCall(outer, node)) twins.add(node);
  });
  return twins;
}

function isSameCall(outer: TreeNode, inner: TreeNode): boolean {
  const [left, right] = [outer.span.facts, inner.span.facts];
  if (left.toolCallId !== undefined && right.toolCallId !== undefined) return left.toolCallId === right.toolCallId;
  return left.toolName !== undefined && left.toolName === right.toolName;
}
