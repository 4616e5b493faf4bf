import { Button } from "../ui/button.tsx";
import { isMissingFile } from "../ui/missing-file.ts";
import { EmptyState, problemSentence } from "../ui/states.tsx";

/** Shown if a page throws, or if its files are gone because the server was upgraded while this tab was open. */
export function BrokenPage({ error }: { error: unknown }) {
  const isGone = isMissingFile(error);
  return (
    <EmptyState
      isWholePage
      title={isGone ? "A new version is here" : "This page failed"}
      actions={
        <Button look="primary" onClick={() => window.location.reload()}>
          Reload
        </Button>
      }
    >
      {isGone
        ? "The server was upgraded while this tab was open, and the rest of the old version is gone. Reload to continue with the new one."
        : problemSentence(error)}
    </EmptyState>
  );
}
