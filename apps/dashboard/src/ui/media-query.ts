import { useSyncExternalStore } from "react";

/** Whether the window matches a media query, kept up to date. */
function useMediaQuery(query: string): boolean {
  return useSyncExternalStore(
    (listener) => {
      const list = window.matchMedia(query);
      list.addEventListener("change", listener);
      return () => list.removeEventListener("change", listener);
    },
    () => window.matchMedia(query).matches,
  );
}

/** A window too narrow for a table: rows become cards, side panels cover the page. */
export function useIsNarrow(): boolean {
  return useMediaQuery("(max-width: 899px)");
}
