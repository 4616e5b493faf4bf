import { Menu as Base } from "@base-ui/react/menu";
import { type ReactNode, type RefObject, useRef } from "react";
import { classNames } from "./class-names.ts";

export interface MenuItem {
  label: ReactNode;
  onChoose(): void;
  isChosen?: boolean;
  /** Why it is disabled; the item stays visible. */
  disabledBecause?: string | undefined;
  look?: "danger";
}

/** The list of a menu, beside the button that opened it. Loaded when a menu is opened for the first time. */
export function MenuPopup({
  items,
  align,
  button,
  buttonId,
  isOpen,
  openedBy,
  onOpenChange,
}: {
  items: readonly (MenuItem | null)[];
  align: "start" | "end";
  button: RefObject<HTMLButtonElement | null>;
  buttonId: string;
  isOpen: boolean;
  openedBy: "keys" | "pointer";
  onOpenChange(isOpen: boolean): void;
}) {
  const popup = useRef<HTMLDivElement>(null);
  /** Opened by a key, the first item is focused; a pointer will choose another. */
  function focusFirst(): void {
    if (openedBy === "keys") popup.current?.querySelector<HTMLElement>("[role='menuitem']")?.focus();
  }
  return (
    <Base.Root
      open={isOpen}
      onOpenChange={onOpenChange}
      onOpenChangeComplete={(isNowOpen) => isNowOpen && focusFirst()}
    >
      <Base.Portal>
        <Base.Positioner anchor={button} sideOffset={4} align={align} className="z-50">
          <Base.Popup
            ref={popup}
            aria-labelledby={buttonId}
            finalFocus={button}
            className="max-h-[60vh] max-w-[90vw] min-w-44 overflow-auto rounded-md border border-line bg-canvas py-1 outline-none"
          >
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
