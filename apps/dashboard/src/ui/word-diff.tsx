import { diffWordsWithSpace } from "diff";
import { useMemo } from "react";
import { formatCount } from "./format.ts";

/** The length up to which texts are compared: the time grows with the square of the difference. */
const mostCharacters = 20_000;

/** The changes from one text to another, word by word: removed words struck out, added words underlined. */
export function WordDiff({ before, after }: { before: string; after: string }) {
  const parts = useMemo(
    () => diffWordsWithSpace(before.slice(0, mostCharacters), after.slice(0, mostCharacters), { timeout: 500 }),
    [before, after],
  );
  const isCut = before.length > mostCharacters || after.length > mostCharacters;
  if (parts === undefined)
    return <p className="m-0 text-soft">The two texts are too different to be compared word by word.</p>;
  return (
    <div className="break-words whitespace-pre-wrap">
      {parts.map((part, index) => {
        const key = index;
        if (part.removed)
          return (
            <del key={key} className="bg-bad-ground text-bad">
              {part.value}
            </del>
          );
        if (part.added)
          return (
            <ins key={key} className="bg-chosen">
              {part.value}
            </ins>
          );
        return <span key={key}>{part.value}</span>;
      })}
      {isCut && <p className="m-0 mt-2 text-xs text-faint">Compared up to {formatCount(mostCharacters)} characters.</p>}
    </div>
  );
}
