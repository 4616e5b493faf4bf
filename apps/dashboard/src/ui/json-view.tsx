import { useState } from "react";
import { CopyButton } from "./copy-button.tsx";
import { formatBytes, formatCount } from "./format.ts";

/** The number of levels that are open at first. */
const openLevels = 3;
/** Members of an object or list shown at first, and added for each press of the button. */
const membersAtOnce = 100;
/** A string is cut here until the user expands it. */
const charactersAtOnce = 2_000;
/** The maximum length of an expanded string; the rest is in the download. */
const charactersMost = 200_000;
/** Deeper levels are shown as text. */
const levelsMost = 100;

/** Any JSON as a tree that stays fast: levels, members and strings are bounded and expanded on request. */
export function JsonView({ value, name = "value" }: { value: unknown; name?: string }) {
  return (
    <div className="group relative font-mono text-xs leading-4.5">
      <div className="absolute top-0 right-0 opacity-0 group-focus-within:opacity-100 group-hover:opacity-100">
        <CopyButton text={typeof value === "string" ? value : (JSON.stringify(value, null, 2) ?? "")} name={name} />
      </div>
      <Value value={value} level={0} />
    </div>
  );
}

function Value({ value, level }: { value: unknown; level: number }) {
  if (typeof value === "string") return <Text text={value} isQuoted={level > 0} />;
  if (typeof value !== "object" || value === null) return <span className="text-kind-llm">{String(value)}</span>;
  if (level >= levelsMost)
    return <span className="text-faint">(deeper than {levelsMost} levels; download it to see more)</span>;
  return <Members value={value} level={level} />;
}

function Members({ value, level }: { value: object; level: number }) {
  const [isOpen, setOpen] = useState(level < openLevels);
  const [shown, setShown] = useState(membersAtOnce);
  const isList = Array.isArray(value);
  const keys = isList ? null : Object.keys(value);
  const size = isList ? value.length : (keys as string[]).length;
  if (size === 0) return <span className="text-faint">{isList ? "[]" : "{}"}</span>;
  const entries = Array.from({ length: Math.min(shown, size) }, (_, index): [string, unknown] => {
    const key = keys?.[index] ?? String(index);
    return [key, (value as Record<string, unknown>)[key]];
  });
  return (
    <>
      <button
        type="button"
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
        className="text-faint hover:text-ink"
      >
        {isOpen ? "▾" : "▸"} {isList ? `[${formatCount(size)}]` : `{${formatCount(size)}}`}
      </button>
      {isOpen && (
        <ul className="m-0 list-none border-l border-line pl-3">
          {entries.map(([key, member]) => (
            <li key={key} className="break-words">
              <span className="text-soft">{key}</span>
              <span className="text-faint">: </span>
              <Value value={member} level={level + 1} />
            </li>
          ))}
          {size > shown && (
            <li>
              <button type="button" onClick={() => setShown(shown + membersAtOnce)} className="text-accent">
                {formatCount(size - shown)} more
              </button>
            </li>
          )}
        </ul>
      )}
    </>
  );
}

function Text({ text, isQuoted }: { text: string; isQuoted: boolean }) {
  const [isWhole, setWhole] = useState(false);
  const most = isWhole ? charactersMost : charactersAtOnce;
  const cut = text.length > most ? text.slice(0, most) : text;
  return (
    <>
      <span className="break-words whitespace-pre-wrap" dir="auto">
        {isQuoted ? `"${cut}"` : cut}
      </span>
      {text.length > most && (
        <span className="text-faint">
          {" "}
          … {formatBytes(text.length)} in all
          {isWhole ? "; copy it to see the rest " : " "}
          {!isWhole && (
            <button type="button" onClick={() => setWhole(true)} className="text-accent">
              Show more
            </button>
          )}
        </span>
      )}
    </>
  );
}
