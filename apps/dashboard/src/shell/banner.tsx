import type { ReactNode } from "react";

/** A message across the page about its overall state, with the action to take. */
export function Banner({ children }: { children: ReactNode }) {
  return (
    <div
      role="alert"
      className="flex shrink-0 flex-wrap items-center gap-x-3 gap-y-2 border-b border-warn bg-warn-ground px-4 py-2 md:px-6"
    >
      {children}
    </div>
  );
}
