import { Fragment, type ReactNode, useMemo } from "react";
import { Media, MediaOf } from "./media.tsx";
import { splitAtMedia } from "./media-references.ts";
import { parsedText } from "./message.ts";

/** A text with its media in their places; those of JSON are below it. `show` shows what is text. */
export function MediaText({ text, show }: { text: string; show(text: string): ReactNode }) {
  const pieces = useMemo(() => splitAtMedia(text), [text]);
  const hasMedia = pieces.some((piece) => typeof piece !== "string");
  if (!hasMedia) return show(text);
  if (typeof parsedText(text) !== "string") {
    return (
      <>
        {show(text)}
        <MediaOf value={text} />
      </>
    );
  }
  return pieces.map((piece, index) =>
    typeof piece === "string" ? (
      <Fragment key={index}>{show(piece)}</Fragment>
    ) : (
      <Media key={index} reference={piece} />
    ),
  );
}
