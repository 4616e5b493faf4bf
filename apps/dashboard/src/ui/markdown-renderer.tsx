import ReactMarkdown, { type Components } from "react-markdown";
import remarkGfm from "remark-gfm";

const plugins = [remarkGfm];

const components: Components = {
  a: ({ href, children }) =>
    href !== undefined && /^https?:\/\//i.test(href) ? (
      <a href={href} target="_blank" rel="noopener noreferrer nofollow" className="text-accent underline">
        {children}
      </a>
    ) : (
      <span>{children}</span>
    ),
  // An external image would reveal to its server who reads this trace, and when.
  img: ({ alt, src }) => (
    <span className="rounded-sm border border-line px-1 text-xs text-faint">
      image{alt ? `: ${alt}` : ""}
      {typeof src === "string" && src.startsWith("http") ? ` (${src}, not loaded)` : ""}
    </span>
  ),
  pre: ({ children }) => (
    <pre tabIndex={0} className="overflow-x-auto rounded-sm bg-panel p-2">
      {children}
    </pre>
  ),
  table: ({ children }) => (
    <div tabIndex={0} className="overflow-x-auto">
      <table className="[&_td]:border [&_td]:border-line [&_td]:px-2 [&_th]:border [&_th]:border-line [&_th]:px-2 [&_th]:text-left">
        {children}
      </table>
    </div>
  ),
};

/** Loaded when the first text is shown; see {@link import("./markdown.tsx").Markdown}. */
export function MarkdownRenderer({ text }: { text: string }) {
  return (
    <div className="markdown break-words">
      <ReactMarkdown remarkPlugins={plugins} components={components} skipHtml>
        {text}
      </ReactMarkdown>
    </div>
  );
}
