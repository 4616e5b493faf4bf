import { useShortcuts } from "../ui/shortcuts.tsx";

/**
 * Binds `w` to the rating of the focused row; undefined binds nothing. A focused score handles `w` itself. It is
 * separate from the panel, which pages load when it is opened.
 */
export function useWhyKey(open: (() => void) | undefined): void {
  useShortcuts("Ratings", open === undefined ? [] : [{ keys: "w", label: "Why this score", run: open }]);
}
