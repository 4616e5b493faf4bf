import { useState } from "react";
import { CopyButton } from "../ui/copy-button.tsx";
import { formatBytes } from "../ui/format.ts";
import { Markdown } from "../ui/markdown.tsx";
import { cutText } from "./cut-text.ts";

/** The most characters that one press of the button adds: laying out megabytes takes a browser seconds. */
const charactersAtOnce = 200_000;

/**
 * A text of any length: folded after some lines, expanded on request, and in steps where the whole text would block the
 * page. The hidden part can be copied.
 */
export function LongText({
  text,
  most = 1_500,
  isMarkdown = false,
  isCode = false,
}: {
  text: string;
  /** Characters shown at first. */
  most?: number;
  isMarkdown?: boolean;
  isCode?: boolean;
}) {
  const [shown, setShown] = useState(most);
  const cut = cutText(text, shown);
  const isCut = cut.length < text.length;
  const next = Math.min(text.length, shown <= most ? charactersAtOnce : shown + charactersAtOnce);
  return (
    <div className="min-w-0" dir="auto">
      {isMarkdown ? (
        <Markdown text={cut} />
      ) : (
        <div
          className={
            isCode ? "font-mono text-xs leading-4.5 break-words whitespace-pre-wrap" : "break-words whitespace-pre-wrap"
          }
        >
          {cut}
        </div>
      )}
      {(isCut || shown > most) && (
        <div className="mt-1 flex flex-wrap items-center gap-x-3 text-xs text-faint" dir="ltr">
          {isCut && (
            <button type="button" className="min-h-6 text-accent max-md:min-h-11" onClick={() => setShown(next)}>
              {next === text.length ? "Show all" : "Show more"}{" "}
              <span className="text-faint">({formatBytes(text.length)})</span>
            </button>
          )}
          {shown > most && (
            <button type="button" className="min-h-6 text-accent max-md:min-h-11" onClick={() => setShown(most)}>
              Show less
            </button>
          )}
          {isCut && text.length > charactersAtOnce && <CopyButton text={text} name="the whole text" />}
        </div>
      )}
    </div>
  );
}
