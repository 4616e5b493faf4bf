import { Markdown } from "../ui/markdown.tsx";
import { type Rubric, rulesOf, textsOf } from "./rubric.ts";

/** A rubric for readers: each text under its purpose, then what the judge sees. */
export function RubricView({ rubric }: { rubric: Rubric }) {
  const texts = textsOf(rubric);
  return (
    <div className="flex flex-col gap-3">
      {texts.length === 0 && <p className="m-0 text-soft">No criteria: the built-in prompt rates by itself.</p>}
      {texts.map(({ key, label, text }) => (
        <div key={key}>
          <p className="m-0 mb-0.5 text-xs font-medium text-faint">{label}</p>
          {key === "judgePrompt" ? (
            <pre className="m-0 max-h-80 overflow-auto rounded-sm border border-line bg-panel p-2 break-words whitespace-pre-wrap">
              {text}
            </pre>
          ) : (
            <Markdown text={text} />
          )}
        </div>
      ))}
      {rulesOf(rubric).map((rule) => (
        <p key={rule} className="m-0 text-xs text-faint">
          {rule}
        </p>
      ))}
    </div>
  );
}
