import { useShortcuts } from "../ui/shortcuts.tsx";

/**
 * Binds `w` to the rating of the row that the keys act on; undefined binds nothing. A focused score takes `w` by itself. It is
 * not in the file of the panel, which pages load when it is opened.
 */
export function useWhyKey(open: (() => void) | undefined): void {
  useShortcuts("Ratings", open === undefined ? [] : [{ keys: "w", label: "Why this score", run: open }]);
}
