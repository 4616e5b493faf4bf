import { lazyPart } from "./lazy-part.tsx";

/** Longer texts are shown as they are: reading them as Markdown would hold the page. */
const mostCharacters = 50_000;

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

/** Text of an agent or a judge as Markdown: no HTML, no images from elsewhere, links that tell nobody where they were. */
export function Markdown({ text }: { text: string }) {
  return text.length > mostCharacters ? <Plain text={text} /> : <Renderer text={text} />;
}
