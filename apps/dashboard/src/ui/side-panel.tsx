import { type ReactNode, useEffect, useRef } from "react";
import { IconButton } from "./button.tsx";
import { classNames } from "./class-names.ts";
import { CloseIcon } from "./icons.tsx";
import { useShortcuts } from "./shortcuts.tsx";

/** The details of the selected row, beside the list; in a narrow window it covers the page. Escape closes it. */
export function SidePanel({
  title,
  actions,
  onClose,
  children,
  width = "wide",
}: {
  title: ReactNode;
  actions?: ReactNode;
  onClose(): void;
  children: ReactNode;
  width?: "narrow" | "wide";
}) {
  const panel = useRef<HTMLElement>(null);
  useShortcuts("Panel", [{ keys: "Escape", label: "Close the panel", run: onClose }]);
  useEffect(() => {
    // A panel that covers the page must receive the focus.
    if (window.matchMedia("(max-width: 899px)").matches) panel.current?.focus();
  }, []);
  return (
    <aside
      ref={panel}
      tabIndex={-1}
      aria-label={typeof title === "string" ? title : "Details"}
      className={classNames(
        "flex min-h-0 min-w-0 flex-col border-l border-line bg-canvas outline-none max-md:fixed max-md:inset-0 max-md:z-30 max-md:border-0",
        width === "wide" ? "md:w-[46%] md:min-w-104" : "md:w-[36%] md:min-w-80",
      )}
    >
      <header className="flex min-h-12 items-center gap-2 border-b border-line py-1 pr-2 pl-4">
        <h2 className="m-0 min-w-0 flex-1 truncate text-base">{title}</h2>
        {actions}
        <IconButton label="Close the panel" onClick={onClose}>
          <CloseIcon />
        </IconButton>
      </header>
      <div tabIndex={0} className="min-h-0 flex-1 overflow-auto p-4 outline-offset-[-2px]">
        {children}
      </div>
    </aside>
  );
}
