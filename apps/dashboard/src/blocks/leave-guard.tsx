import { useBlocker } from "@tanstack/react-router";
import { type ReactNode, useRef } from "react";
import { Button } from "../ui/button.tsx";
import { UnsavedQuestion } from "../ui/dialog.tsx";

/**
 * Guards the input of a form that is stored nowhere: asks before another page, another search of this page or the browser discards
 * it. `guard` is rendered in the form. `release` lets the user leave without a question, after the form was saved or its object was
 * deleted.
 */
export function useUnsavedGuard(isChanged: boolean): { guard: ReactNode; release(): void } {
  const state = useRef({ isChanged, isReleased: false });
  // A released form that was emptied is guarded again once something is typed.
  state.current = { isChanged, isReleased: isChanged && state.current.isReleased };
  return {
    guard: isChanged && <LeaveGuard isChanged={() => state.current.isChanged && !state.current.isReleased} />,
    release: () => {
      state.current.isReleased = true;
    },
  };
}

/** Whether a form contains something other than at first. */
export const differs = (typed: object, initial: object): boolean => JSON.stringify(typed) !== JSON.stringify(initial);

/**
 * Asks before the user leaves a page with unsaved text. `staysOn` reports which other searches of the same path still show the
 * form; none by default. With `onDiscard` the input is stored as a draft in this browser, so leaving loses nothing; without it
 * leaving discards the input.
 */
export function LeaveGuard({
  isChanged,
  staysOn,
  onDiscard,
}: {
  isChanged(): boolean;
  staysOn?(search: Record<string, unknown>): boolean;
  onDiscard?(): void;
}) {
  const isShown = (before: object, after: object): boolean =>
    staysOn === undefined ? !differs(after, before) : staysOn(after as Record<string, unknown>);
  const blocker = useBlocker({
    withResolver: true,
    enableBeforeUnload: isChanged,
    shouldBlockFn: ({ current, next }) =>
      isChanged() && !(next.pathname === current.pathname && isShown(current.search, next.search)),
  });
  if (blocker.status !== "blocked") return null;
  const { reset, proceed } = blocker;
  return (
    <UnsavedQuestion
      onStay={reset}
      onLeave={proceed}
      further={
        onDiscard && (
          <Button
            look="danger"
            onClick={() => {
              onDiscard();
              proceed();
            }}
          >
            Discard the draft
          </Button>
        )
      }
    >
      {onDiscard === undefined ? "If you leave, they are lost." : "If you leave, they stay as a draft in this browser."}
    </UnsavedQuestion>
  );
}
