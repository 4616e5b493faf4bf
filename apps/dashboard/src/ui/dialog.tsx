import { Dialog as Base } from "@base-ui/react/dialog";
import { type ReactNode, useState } from "react";
import { Button, IconButton } from "./button.tsx";
import { classNames } from "./class-names.ts";
import { CloseIcon } from "./icons.tsx";
import { ProblemLine } from "./states.tsx";

export interface DialogProps {
  isOpen: boolean;
  onClose(): void;
  title: ReactNode;
  children: ReactNode;
  /** Buttons at the lower edge, the one that acts last. */
  actions?: ReactNode;
  width?: "narrow" | "wide";
}

/** A modal dialog. It scrolls inside, keeps the focus, and gives it back when it closes. */
export function Dialog({ isOpen, onClose, title, children, actions, width = "narrow" }: DialogProps) {
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

export interface ConfirmProps {
  isOpen: boolean;
  onClose(): void;
  title: string;
  /** What will happen, with its numbers. */
  children: ReactNode;
  /** The verb on the button, such as `Delete 12 traces`. */
  verb: string;
  look?: "danger" | "primary";
  /** False while something in the dialog is missing, such as a name that has to be typed. */
  isReady?: boolean;
  /** Rejects with a problem that is then shown in the dialog. */
  onConfirm(): Promise<unknown>;
}

/** Asks before something that cannot be undone, shows that it is under way, and stays open when it fails. */
export function ConfirmDialog({
  isOpen,
  onClose,
  title,
  children,
  verb,
  look = "danger",
  isReady = true,
  onConfirm,
}: ConfirmProps) {
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState<unknown>(null);
  async function confirm(): Promise<void> {
    setBusy(true);
    setProblem(null);
    try {
      await onConfirm();
      onClose();
    } catch (error) {
      setProblem(error);
    } finally {
      setBusy(false);
    }
  }
  return (
    <Dialog
      isOpen={isOpen}
      onClose={onClose}
      title={title}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button look={look} isBusy={isBusy} disabled={!isReady} onClick={() => void confirm()}>
            {verb}
          </Button>
        </>
      }
    >
      {children}
      {problem !== null && <ProblemLine problem={problem} className="mt-3" />}
    </Dialog>
  );
}
