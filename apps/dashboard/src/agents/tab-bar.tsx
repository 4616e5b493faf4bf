import type { ReactNode } from "react";

/** Above the rows of a tab: a sentence about them, and the button to create one. */
export function TabBar({ children, actions }: { children: ReactNode; actions?: ReactNode }) {
  return (
    <div className="flex min-h-14 flex-wrap items-center gap-x-4 gap-y-2 px-4 py-2 md:px-6">
      <div className="min-w-0 flex-1 text-soft">{children}</div>
      {actions !== undefined && <div className="flex flex-wrap gap-2">{actions}</div>}
    </div>
  );
}
