import { useBlocker } from "@tanstack/react-router";
import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";

/**
 * Asks before the user leaves a page with unsaved text. `staysOn` reports which other searches of the same path still show the
 * form. The input is stored as a draft in this browser, so leaving loses nothing.
 */
export function LeaveGuard({
  isChanged,
  staysOn,
  onDiscard,
}: {
  isChanged(): boolean;
  staysOn(search: Record<string, unknown>): boolean;
  onDiscard(): void;
}) {
  const blocker = useBlocker({
    withResolver: true,
    enableBeforeUnload: isChanged,
    shouldBlockFn: ({ current, next }) =>
      isChanged() && !(next.pathname === current.pathname && staysOn(next.search as Record<string, unknown>)),
  });
  if (blocker.status !== "blocked") return null;
  return (
    <Dialog
      isOpen
      onClose={blocker.reset}
      title="Leave without saving?"
      actions={
        <>
          <Button
            look="danger"
            onClick={() => {
              onDiscard();
              blocker.proceed();
            }}
          >
            Discard the draft
          </Button>
          <Button onClick={blocker.proceed}>Leave</Button>
          <Button look="primary" autoFocus onClick={blocker.reset}>
            Keep editing
          </Button>
        </>
      }
    >
      <p className="m-0">Your changes are not saved. If you leave, they stay as a draft in this browser.</p>
    </Dialog>
  );
}
