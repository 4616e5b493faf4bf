import { Dialog as Base } from "@base-ui/react/dialog";
import type { ReactNode } from "react";
import { IconButton } from "./button.tsx";
import { classNames } from "./class-names.ts";
import { CloseIcon } from "./icons.tsx";

export interface DialogProps {
  isOpen: boolean;
  onClose(): void;
  title: ReactNode;
  children: ReactNode;
  /** Buttons at the lower edge, with the confirming one last. */
  actions?: ReactNode;
  width?: "narrow" | "wide";
}

/** A dialog over the page. Loaded when the first one is opened. */
export function DialogPopup({ isOpen, onClose, title, children, actions, width = "narrow" }: DialogProps) {
  return (
    <Base.Root open={isOpen} onOpenChange={(open) => !open && onClose()}>
      <Base.Portal>
        <Base.Backdrop className="fixed inset-0 z-40 bg-black/45" />
        <Base.Popup
          className={classNames(
            "fixed top-[8vh] left-1/2 z-40 flex max-h-[84vh] w-[calc(100vw-2rem)] -translate-x-1/2 flex-col rounded-md border border-line bg-canvas",
            width === "wide" ? "max-w-4xl" : "max-w-lg",
          )}
        >
          <header className="flex items-center justify-between gap-4 border-b border-line py-2 pr-2 pl-4">
            <Base.Title className="m-0 text-base">{title}</Base.Title>
            <Base.Close
              render={
                <IconButton label="Close">
                  <CloseIcon />
                </IconButton>
              }
            />
          </header>
          <div className="min-h-0 flex-1 overflow-auto p-4">{children}</div>
          {actions && (
            <footer className="flex flex-wrap justify-end gap-2 border-t border-line px-4 py-3">{actions}</footer>
          )}
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  );
}
