import type { ReactNode } from "react";
import type { components } from "../api/schema.gen.d.ts";
import { classNames } from "../ui/class-names.ts";
import {
  AgentsIcon,
  DatasetsIcon,
  EditIcon,
  EmbeddingIcon,
  GuardrailIcon,
  JudgesIcon,
  LinkIcon,
  RankIcon,
  SearchIcon,
  SessionsIcon,
  ToolIcon,
} from "../ui/icons.tsx";

export type SpanKind = components["schemas"]["SpanKind"];

type Colour = "agent" | "llm" | "tool" | "retrieval" | "guardrail";

/** The word, icon and colour of each kind of span: colour alone carries no meaning. */
const kinds: Record<SpanKind, { icon: (props: { className?: string }) => ReactNode; colour: Colour }> = {
  agent: { icon: AgentsIcon, colour: "agent" },
  chain: { icon: LinkIcon, colour: "agent" },
  llm: { icon: SessionsIcon, colour: "llm" },
  prompt: { icon: EditIcon, colour: "llm" },
  tool: { icon: ToolIcon, colour: "tool" },
  retrieval: { icon: SearchIcon, colour: "retrieval" },
  embedding: { icon: EmbeddingIcon, colour: "retrieval" },
  reranker: { icon: RankIcon, colour: "retrieval" },
  memory: { icon: DatasetsIcon, colour: "retrieval" },
  guardrail: { icon: GuardrailIcon, colour: "guardrail" },
  evaluator: { icon: JudgesIcon, colour: "guardrail" },
};

const grounds: Record<Colour | "error", string> = {
  agent: "bg-kind-agent",
  llm: "bg-kind-llm",
  tool: "bg-kind-tool",
  retrieval: "bg-kind-retrieval",
  guardrail: "bg-kind-guardrail",
  error: "bg-kind-error",
};

const inks: Record<Colour | "error", string> = {
  agent: "text-kind-agent",
  llm: "text-kind-llm",
  tool: "text-kind-tool",
  retrieval: "text-kind-retrieval",
  guardrail: "text-kind-guardrail",
  error: "text-kind-error",
};

/** The name of the CSS variable with a span's colour, for canvases. */
export function kindVariable(kind: SpanKind, hasError: boolean): string {
  return hasError ? "--kind-error" : `--kind-${kinds[kind].colour}`;
}

/** The background of a span's bar. */
export function kindGround(kind: SpanKind, hasError: boolean): string {
  return grounds[hasError ? "error" : kinds[kind].colour];
}

/** The icon of a kind in its colour, with its word in the title. */
export function KindIcon({ kind, className }: { kind: SpanKind; className?: string }) {
  const { icon: Icon, colour } = kinds[kind];
  return (
    <span title={kind} className={classNames("inline-flex shrink-0", inks[colour], className)}>
      <Icon className="size-3.5" />
    </span>
  );
}
