import type { components } from "../api/schema.gen.d.ts";
import { countOf, formatCount } from "../ui/format.ts";
import { Badge, Section, Time } from "../ui/page.tsx";
import { LongText } from "./long-text.tsx";
import { useMemberNames } from "./member-names.ts";

export type ShownScore = components["schemas"]["TraceDetail"]["scores"][number];

const sources = {
  human: { word: "person", title: "A person gave it" },
  code: { word: "code", title: "A program computed it" },
  model: { word: "model", title: "A model gave it" },
  import: { word: "import", title: "It was imported" },
} as const;

/** Scores of clients, newest first, each with its origin. */
export function ScoreList({ title, scores }: { title: string; scores: readonly ShownScore[] }) {
  const nameOf = useMemberNames(scores.some(({ authorId }) => authorId !== null));
  return (
    <Section title={title} aside={countOf(scores.length, "score")}>
      <ul className="m-0 list-none p-0">
        {scores.map((score, index) => {
          const { id, name, comment, source, author, authorId, timestamp } = score;
          return (
            <li key={id ?? `${name} ${index}`} className="border-b border-line py-2 last:border-b-0">
              <div className="flex min-w-0 items-baseline gap-3">
                <span className="min-w-0 flex-1 break-words">{name}</span>
                <ScoreValue value={score.value} />
              </div>
              <div className="mt-0.5 flex flex-wrap items-center gap-x-3 gap-y-1 text-xs text-faint">
                <Badge title={sources[source].title}>{sources[source].word}</Badge>
                <Time iso={timestamp} isAge />
                {(author !== null || authorId !== null) && (
                  <span className="min-w-0 truncate">by {author ?? nameOf(authorId ?? "")}</span>
                )}
              </div>
              {comment !== null && comment !== "" && <LongText text={comment} most={600} />}
            </li>
          );
        })}
      </ul>
    </Section>
  );
}

/** Its scale is the client's, so it has no colour. */
export function ScoreValue({ value }: { value: ShownScore["value"] }) {
  const text = typeof value === "number" ? formatNumber(value) : typeof value === "boolean" ? String(value) : value;
  return (
    <span title={String(value)} className="max-w-[60%] truncate font-semibold tabular-nums">
      {text === "" ? <span className="text-faint">empty</span> : text}
    </span>
  );
}

/** A small number keeps two digits. */
function formatNumber(value: number): string {
  return value !== 0 && Math.abs(value) < 0.01 ? String(Number(value.toPrecision(2))) : formatCount(value);
}
