import { lazyPart } from "./lazy-part.tsx";

/** Longer texts are shown as they are: reading them as Markdown would hold the page. */
const mostCharacters = 50_000;

/** A line with none of these says the same as Markdown. Most questions are such lines; they need no renderer. */
const signs = /[*_~`#<>[\]\\|&@\p{Cc}]|^\s|^[-+=]|^\d+[.)]|https?:|ftp:|www\.|\s$/iu;

/** Whether a text has to be read as Markdown to be shown right. */
export function hasMarkup(text: string): boolean {
  return signs.test(text);
}

function Plain({ text }: { text: string }) {
  return <div className="break-words whitespace-pre-wrap">{text}</div>;
}

/** A renderer that cannot be loaded takes no page with it: the text is shown as it is. */
const Renderer = lazyPart(
  () =>
    import("./markdown-renderer.tsx").then(
      ({ MarkdownRenderer }) => MarkdownRenderer,
      () => Plain,
    ),
  Plain,
);

/** Text of an agent or a judge as Markdown: no HTML, no external images, and links that send no referrer. */
export function Markdown({ text }: { text: string }) {
  return text.length > mostCharacters || !hasMarkup(text) ? <Plain text={text} /> : <Renderer text={text} />;
}
