import { Badge } from "../ui/page.tsx";
import { skipWords } from "./skip-words.ts";

/** Shown in place of a missing rating; pressing it shows the reason. */
export function SkippedBadge({ code, onWhy }: { code: string | null; onWhy(): void }) {
  const reason = code === null ? "no reason was recorded" : skipWords(code);
  return (
    <button
      type="button"
      onClick={onWhy}
      aria-label={`Why: skipped, ${reason}`}
      title={`Skipped: ${reason}. Why?`}
      className="-mx-1 inline-flex h-6 items-center rounded-sm px-1 hover:bg-hover"
    >
      <Badge look="warn">skipped</Badge>
    </button>
  );
}
