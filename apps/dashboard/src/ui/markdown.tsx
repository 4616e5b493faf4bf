import { lazy, Suspense } from "react";

/** Longer texts are shown as they are: reading them as Markdown would hold the page. */
const mostCharacters = 50_000;
const Renderer = lazy(() =>
  import("./markdown-renderer.tsx").then(({ MarkdownRenderer }) => ({ default: MarkdownRenderer })),
);

/** Text of an agent or a judge as Markdown: no HTML, no images from elsewhere, links that tell nobody where they were. */
export function Markdown({ text }: { text: string }) {
  const plain = <div className="break-words whitespace-pre-wrap">{text}</div>;
  if (text.length > mostCharacters) return plain;
  return (
    <Suspense fallback={plain}>
      <Renderer text={text} />
    </Suspense>
  );
}
