import { type ReactNode, useState } from "react";
import { Button } from "./button.tsx";
import type { DialogProps } from "./dialog-popup.tsx";
import { lazyPart } from "./lazy-part.tsx";
import { ProblemLine } from "./states.tsx";

const DialogPopup = lazyPart(async () => (await import("./dialog-popup.tsx")).DialogPopup);

/**
 * A modal dialog. It scrolls inside, keeps the focus, and returns it when it closes. With `isChanged`, because something was typed
 * into it, Escape, its cross and a click outside ask before they close it.
 */
export function Dialog({ isChanged = false, ...props }: DialogProps & { isChanged?: boolean }) {
  const { isOpen, onClose, children } = props;
  // Most dialogs of a page are never opened; their code is loaded on first use.
  const [wasOpened, setWasOpened] = useState(isOpen);
  if (isOpen && !wasOpened) setWasOpened(true);
  const [isAsking, setAsking] = useState(false);
  function leave(): void {
    setAsking(false);
    onClose();
  }
  return (
    wasOpened && (
      <DialogPopup {...props} onClose={isChanged ? () => setAsking(true) : onClose}>
        {children}
        {isAsking && <UnsavedQuestion onLeave={leave} onStay={() => setAsking(false)} />}
      </DialogPopup>
    )
  );
}

interface UnsavedQuestionProps {
  onLeave(): void;
  onStay(): void;
  /** A further way out, before the others. */
  further?: ReactNode;
  /** What happens to the input. */
  children?: ReactNode;
}

/** Asks whether to leave a form whose input is not saved. */
export function UnsavedQuestion({ onLeave, onStay, further, children }: UnsavedQuestionProps) {
  return (
    <Dialog
      isOpen
      onClose={onStay}
      title="Leave without saving?"
      actions={
        <>
          {further}
          <Button look={further === undefined ? "danger" : "plain"} onClick={onLeave}>
            Leave
          </Button>
          <Button look="primary" autoFocus onClick={onStay}>
            Keep editing
          </Button>
        </>
      }
    >
      <p className="m-0">Your changes are not saved. {children}</p>
    </Dialog>
  );
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
