import { createContext, type ReactNode, useCallback, useContext, useMemo, useState } from "react";
import { lazyPart } from "./lazy-part.tsx";
import { problemSentence } from "./states.tsx";
import type { Said } from "./toast-list.tsx";

/** Reports the result of an action, with an undo if there is one. */
export interface Toasts {
  /** Reports success. `undo` adds a button. Of toasts with the same `slot` only the newest is visible. */
  say(text: string, undo?: () => void, slot?: string): void;
  /** Reports a failure; the API's message stays until the user closes it. */
  warn(problem: unknown): void;
  /** Reports a failure that is no answer of the API, in these words; they stay until the user closes them. */
  fail(text: string): void;
}

const Context = createContext<Toasts | null>(null);

export function useToasts(): Toasts {
  const toasts = useContext(Context);
  if (toasts === null) throw new Error("useToasts outside of a ToastRegion");
  return toasts;
}

/** Displays the toasts; mounted once, around the whole application. The list is loaded with the first toast. */
export function ToastRegion({ children }: { children: ReactNode }) {
  const [waiting, setWaiting] = useState<readonly Said[]>([]);
  const [isUsed, setUsed] = useState(false);
  const toasts = useMemo((): Toasts => {
    const add = (said: Said): void => {
      setUsed(true);
      setWaiting((before) => [...before, said]);
    };
    const fail = (text: string): void => add({ text, undo: undefined, slot: undefined, isProblem: true });
    return {
      say: (text, undo, slot) => add({ text, undo, slot, isProblem: false }),
      warn: (problem) => fail(problemSentence(problem)),
      fail,
    };
  }, []);
  const take = useCallback(() => setWaiting([]), []);
  return (
    <Context value={toasts}>
      {children}
      {isUsed && <ToastList waiting={waiting} take={take} />}
    </Context>
  );
}

const ToastList = lazyPart(() =>
  import("./toast-list.tsx").then(
    ({ ToastList }) => ToastList,
    () => PlainToasts,
  ),
);

/** If the list cannot be loaded, for example after an upgrade of the server, the message is still shown. */
function PlainToasts({ waiting, take }: { waiting: readonly Said[]; take(): void }) {
  if (waiting.length === 0) return null;
  return (
    <div role="status" className="fixed right-4 bottom-4 z-50 w-96 rounded-md border border-line bg-panel p-4 text-sm">
      {waiting.map(({ text }, index) => (
        <p key={index} className="m-0">
          {text}
        </p>
      ))}
      <button type="button" onClick={take} className="mt-2 text-accent">
        Close
      </button>
    </div>
  );
}
