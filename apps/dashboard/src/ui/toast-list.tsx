import { Toast } from "@base-ui/react/toast";
import { useEffect } from "react";
import { Button, IconButton } from "./button.tsx";
import { classNames } from "./class-names.ts";
import { CloseIcon } from "./icons.tsx";

/** The content of a toast. */
export interface Said {
  text: string;
  /** Offered as a button. */
  undo: (() => void) | undefined;
  /** Of toasts with the same slot only the newest is visible. */
  slot: string | undefined;
  /** Stays until the user closes it. */
  isProblem: boolean;
}

interface ToastListProps {
  /** Not shown yet. */
  waiting: readonly Said[];
  /** They are shown now. */
  take(): void;
}

/** Toasts in the corner of the page, newest first. */
export function ToastList(props: ToastListProps) {
  return (
    <Toast.Provider>
      <Toast.Portal>
        <Toast.Viewport className="fixed right-4 bottom-4 z-50 flex w-96 max-w-[calc(100vw-2rem)] flex-col gap-2 max-md:bottom-20">
          <Shown {...props} />
        </Toast.Viewport>
      </Toast.Portal>
    </Toast.Provider>
  );
}

function Shown({ waiting, take }: ToastListProps) {
  const { toasts, add } = Toast.useToastManager();
  useEffect(() => {
    if (waiting.length === 0) return;
    for (const { text, undo, slot, isProblem } of waiting) {
      add({
        ...(slot !== undefined && { id: slot }),
        title: text,
        ...(isProblem
          ? { type: "problem", timeout: 0, priority: "high" }
          : { timeout: undo ? 10_000 : 5_000, actionProps: undo && { children: "Undo", onClick: undo } }),
      });
    }
    take();
  }, [waiting, take, add]);

  return toasts.map((toast) => (
    <Toast.Root
      key={toast.id}
      toast={toast}
      className={classNames(
        "flex items-center gap-3 rounded-md border bg-panel py-2 pr-2 pl-4 data-limited:hidden",
        toast.type === "problem" ? "border-bad" : "border-line",
      )}
    >
      <Toast.Title className="m-0 flex-1 text-sm font-normal" />
      {toast.actionProps && <Toast.Action render={<Button />} />}
      <Toast.Close
        render={
          <IconButton label="Close">
            <CloseIcon />
          </IconButton>
        }
      />
    </Toast.Root>
  ));
}
