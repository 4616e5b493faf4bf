import {
  type ComponentProps,
  cloneElement,
  type KeyboardEvent,
  type ReactElement,
  useId,
  useRef,
  useState,
} from "react";
import { lazyPart } from "./lazy-part.tsx";
import type { MenuItem } from "./menu-popup.tsx";

const MenuPopup = lazyPart(async () => (await import("./menu-popup.tsx")).MenuPopup);

/** A button that opens a list of actions. A null among the items draws a line. */
export function Menu({
  trigger,
  items,
  align = "start",
}: {
  trigger: ReactElement<ComponentProps<"button">>;
  items: (MenuItem | null)[];
  align?: "start" | "end";
}) {
  const [isOpen, setOpen] = useState(false);
  // Most menus of a page are never opened; their content is rendered on first use.
  const [openedBy, setOpenedBy] = useState<"keys" | "pointer" | null>(null);
  const button = useRef<HTMLButtonElement>(null);
  const buttonId = useId();
  function open(by: "keys" | "pointer"): void {
    setOpenedBy(by);
    setOpen(true);
  }
  function onKeyDown(event: KeyboardEvent): void {
    if (event.key !== "ArrowDown") return;
    event.preventDefault();
    open("keys");
  }
  return (
    <>
      {cloneElement(trigger, {
        ref: button,
        id: buttonId,
        "aria-haspopup": "menu",
        "aria-expanded": isOpen,
        // A click made by a key has a click count of 0.
        onClick: ({ detail }) => open(detail === 0 ? "keys" : "pointer"),
        onKeyDown,
      })}
      {openedBy !== null && (
        <MenuPopup {...{ items, align, button, buttonId, isOpen, openedBy }} onOpenChange={setOpen} />
      )}
    </>
  );
}
