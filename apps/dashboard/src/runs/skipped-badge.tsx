import { Badge } from "../ui/page.tsx";
import { isLeftToClient, skipWords } from "./skip-words.ts";

/** Shown in place of a missing rating; pressing it shows the reason. */
export function SkippedBadge({ code, onWhy }: { code: string | null; onWhy(): void }) {
  const reason = code === null ? "no reason was recorded" : skipWords(code);
  const word = isLeftToClient(code) ? "not judged" : "skipped";
  return (
    <button
      type="button"
      onClick={onWhy}
      aria-label={`Why: ${word}, ${reason}`}
      title={`${word === "skipped" ? "Skipped" : "Not judged"}: ${reason}. Why?`}
      className="-mx-1 inline-flex h-6 items-center rounded-sm px-1 hover:bg-hover"
    >
      <Badge {...(word === "skipped" && { look: "warn" })}>{word}</Badge>
    </button>
  );
}
