import type { ReactNode } from "react";
import { MediaText } from "../blocks/media-text.tsx";
import { countOf } from "../ui/format.ts";
import { Badge } from "../ui/page.tsx";
import { variantsOf } from "./case-rules.ts";
import { Provenance } from "./provenance.tsx";
import type { Question } from "./queries.ts";

/** The whole case, as text: the question, the expected answer, and further inputs of graders. */
export function CaseDetails({ question }: { question: Question }) {
  const { main_question: main, follow_up_questions: later, source, split, tags } = question;
  const variants = variantsOf(question);
  const lists = [
    ["Expected capabilities", main.expectedCapabilities],
    ["Expected knowledge base", main.expectedKnowledgeBase],
    ["Expected delegations", main.expectedDelegations],
  ] as const;
  return (
    <dl className="m-0 flex flex-col gap-4">
      <Part label="Question">
        <Text>{main.query}</Text>
      </Part>
      <Part label="Expected answer">
        {main.expectedResults ? <Text>{main.expectedResults}</Text> : <None>None: graded by the criteria alone.</None>}
      </Part>
      {main.judgeGuideline && (
        <Part label="Guideline for the judge">
          <Text>{main.judgeGuideline}</Text>
        </Part>
      )}
      {main.expectedTrajectory && (
        <Part label={`Expected tools, ${main.expectedTrajectory.mode ?? "strict"}`}>
          <ol className="m-0 flex list-none flex-wrap gap-1 p-0">
            {main.expectedTrajectory.tools.map((tool, index) => (
              <li key={`${index}-${tool}`}>
                <Badge>{tool}</Badge>
              </li>
            ))}
          </ol>
        </Part>
      )}
      <Texts label="Context" texts={main.retrievalContext} />
      <Texts label="Expected context" texts={main.expectedRetrievalContext} />
      {lists.map(([label, texts]) => (
        <Texts key={label} label={label} texts={texts} />
      ))}
      {variants > 0 && (
        <Part label="Variants">
          {countOf(variants, "paraphrase")} when a run starts
          {main.smokeTest?.guidance && <Text>{main.smokeTest.guidance}</Text>}
        </Part>
      )}
      <Texts label="Follow-ups, kept but not scored" texts={later?.map(({ query }) => query)} />
      <Part label="From">
        <span className="break-words">
          <Provenance source={source} />
        </span>
      </Part>
      {(split || (tags?.length ?? 0) > 0) && (
        <Part label="Split and tags">
          <span className="flex flex-wrap gap-1">
            {split && <Badge>{split}</Badge>}
            {tags?.map((tag) => (
              <Badge key={tag}>{tag}</Badge>
            ))}
          </span>
        </Part>
      )}
    </dl>
  );
}

function Part({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div className="min-w-0">
      <dt className="mb-0.5 text-xs text-faint">{label}</dt>
      <dd className="m-0">{children}</dd>
    </div>
  );
}

function Texts({ label, texts }: { label: string; texts: string | readonly string[] | null | undefined }) {
  const all = [texts ?? []].flat();
  if (all.length === 0) return null;
  return (
    <Part label={label}>
      <ul className="m-0 flex list-none flex-col gap-1 p-0">
        {all.map((text, index) => (
          <li key={index} className="border-l-2 border-line pl-2">
            <Text>{text}</Text>
          </li>
        ))}
      </ul>
    </Part>
  );
}

function Text({ children }: { children: string }) {
  return (
    <MediaText
      text={children}
      show={(text) => (
        <p className="m-0 break-words whitespace-pre-wrap" dir="auto">
          {text}
        </p>
      )}
    />
  );
}

function None({ children }: { children: string }) {
  return <span className="text-faint">{children}</span>;
}
