import { Toast } from "@base-ui/react/toast";
import type { ReactNode } from "react";
import { Button, IconButton } from "./button.tsx";
import { classNames } from "./class-names.ts";
import { CloseIcon } from "./icons.tsx";
import { problemSentence } from "./states.tsx";

/** Says what just happened, with a way back where there is one. */
export interface Toasts {
  /** It worked. `undo` is offered as a button. Of those with the same `slot` only the newest is in sight. */
  say(text: string, undo?: () => void, slot?: string): void;
  /** It did not; the API's sentence stays until it is closed. */
  warn(problem: unknown): void;
}

export function useToasts(): Toasts {
  const { add } = Toast.useToastManager();
  return {
    say: (text, undo, slot) =>
      void add({
        ...(slot !== undefined && { id: slot }),
        title: text,
        timeout: undo ? 10_000 : 5_000,
        actionProps: undo && { children: "Undo", onClick: undo },
      }),
    warn: (problem) => void add({ title: problemSentence(problem), type: "problem", timeout: 0, priority: "high" }),
  };
}

/** The place where toasts appear; once, around everything. */
export function ToastRegion({ children }: { children: ReactNode }) {
  return (
    <Toast.Provider>
      {children}
      <Toast.Portal>
        <Toast.Viewport className="fixed right-4 bottom-4 z-50 flex w-96 max-w-[calc(100vw-2rem)] flex-col gap-2 max-md:bottom-20">
          <ToastList />
        </Toast.Viewport>
      </Toast.Portal>
    </Toast.Provider>
  );
}

function ToastList() {
  const { toasts } = Toast.useToastManager();
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
