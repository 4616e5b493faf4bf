import { lazyPart } from "./lazy-part.tsx";

/** Longer texts are shown unformatted: parsing them as Markdown would block the page. */
const mostCharacters = 50_000;

/** A line without these characters is the same in Markdown. Most questions are such lines and need no renderer. */
const signs = /[*_~`#<>[\]\\|&@\p{Cc}]|^\s|^[-+=]|^\d+[.)]|https?:|ftp:|www\.|\s$/iu;

/** Whether a text needs Markdown rendering. */
export function hasMarkup(text: string): boolean {
  return signs.test(text);
}

function Plain({ text }: { text: string }) {
  return <div className="break-words whitespace-pre-wrap">{text}</div>;
}

/** If the renderer cannot be loaded, the plain text is shown instead of an error page. */
const Renderer = lazyPart(
  () =>
    import("./markdown-renderer.tsx").then(
      ({ MarkdownRenderer }) => MarkdownRenderer,
      () => Plain,
    ),
  Plain,
);

/** An agent's or judge's text as Markdown: no HTML, no external images, and links that send no referrer. */
export function Markdown({ text }: { text: string }) {
  return text.length > mostCharacters || !hasMarkup(text) ? <Plain text={text} /> : <Renderer text={text} />;
}
