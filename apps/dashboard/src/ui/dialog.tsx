import { type ReactNode, useState } from "react";
import { Button } from "./button.tsx";
import type { DialogProps } from "./dialog-popup.tsx";
import { lazyPart } from "./lazy-part.tsx";
import { ProblemLine } from "./states.tsx";

const DialogPopup = lazyPart(async () => (await import("./dialog-popup.tsx")).DialogPopup);

/** A modal dialog. It scrolls inside, keeps the focus, and returns it when it closes. */
export function Dialog(props: DialogProps) {
  // Most dialogs of a page are never opened; their code is loaded on first use.
  const [wasOpened, setWasOpened] = useState(props.isOpen);
  if (props.isOpen && !wasOpened) setWasOpened(true);
  return wasOpened && <DialogPopup {...props} />;
}

export interface ConfirmProps {
  isOpen: boolean;
  onClose(): void;
  title: string;
  /** The consequences, with numbers. */
  children: ReactNode;
  /** The verb on the button, such as `Delete 12 traces`. */
  verb: string;
  look?: "danger" | "primary";
  /** False while required input is missing, such as a name to type. */
  isReady?: boolean;
  /** A rejection is shown in the dialog. */
  onConfirm(): Promise<unknown>;
}

/** Asks for confirmation of an irreversible action, shows its progress, and stays open on failure. */
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
