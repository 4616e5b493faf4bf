import { Menu as Base } from "@base-ui/react/menu";
import type { ReactElement, ReactNode } from "react";
import { classNames } from "./class-names.ts";

export interface MenuItem {
  label: ReactNode;
  onChoose(): void;
  isChosen?: boolean;
  /** Why it cannot be chosen; the item stays in sight. */
  disabledBecause?: string | undefined;
  look?: "danger";
}

/** A button that opens a list of acts. A null among the items draws a line. */
export function Menu({
  trigger,
  items,
  align = "start",
}: {
  trigger: ReactElement;
  items: (MenuItem | null)[];
  align?: "start" | "end";
}) {
  return (
    <Base.Root>
      <Base.Trigger render={trigger} />
      <Base.Portal>
        <Base.Positioner sideOffset={4} align={align} className="z-50">
          <Base.Popup className="max-h-[60vh] max-w-[90vw] min-w-44 overflow-auto rounded-md border border-line bg-canvas py-1 outline-none">
            {items.map((item, index) =>
              item === null ? (
                <Base.Separator key={`line-${index}`} className="my-1 h-px bg-line" />
              ) : (
                <Base.Item
                  key={index}
                  disabled={item.disabledBecause !== undefined}
                  onClick={item.onChoose}
                  className={classNames(
                    "flex min-h-8 cursor-pointer items-center gap-2 px-3 text-sm outline-none select-none data-highlighted:bg-hover data-disabled:cursor-not-allowed data-disabled:text-faint",
                    item.look === "danger" && "text-bad",
                  )}
                >
                  <span aria-hidden className="w-3">
                    {item.isChosen ? "✓" : ""}
                  </span>
                  <span className="min-w-0 flex-1 truncate">{item.label}</span>
                  {item.disabledBecause !== undefined && <span className="text-xs">{item.disabledBecause}</span>}
                </Base.Item>
              ),
            )}
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  );
}
