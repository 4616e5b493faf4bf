import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import type { User } from "../api/connection.ts";
import { ApiProblem } from "../api/problem.ts";
import { Banner } from "../shell/banner.tsx";
import { SignInForm } from "../shell/sign-in-form.tsx";
import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";

/**
 * Reports on the pages of an account that its session has ended, from `isOver` or a refused call, and signs in again
 * without losing input.
 */
export function EndedSession({ user, isOver }: { user: User; isOver: boolean }) {
  const queries = useQueryClient();
  const [isEnded, setEnded] = useState(false);
  const [isOpen, setOpen] = useState(false);
  useEffect(() => {
    const notice = (error: unknown): void => {
      if (error instanceof ApiProblem && error.status === 401 && error.code === null) setEnded(true);
    };
    const offQueries = queries.getQueryCache().subscribe((event) => {
      if (event.type === "updated" && event.action.type === "error") notice(event.action.error);
    });
    const offChanges = queries.getMutationCache().subscribe((event) => {
      if (event.type === "updated" && event.action.type === "error") notice(event.action.error);
    });
    return () => {
      offQueries();
      offChanges();
    };
  }, [queries]);
  function goOn(userId: string): void {
    // Another user must not see the previous user's data.
    if (userId !== user.id) queries.clear();
    setOpen(false);
    setEnded(false);
    void queries.refetchQueries({ type: "active" });
  }
  if (!isEnded && !isOver) return null;
  return (
    <Banner>
      <span className="flex-1 basis-64">Your session has ended. Sign in to go on: what you typed here stays.</span>
      <Button look="primary" onClick={() => setOpen(true)}>
        Sign in
      </Button>
      <Dialog isOpen={isOpen} onClose={() => setOpen(false)} title="Sign in again">
        <SignInForm email={user.email} onSignedIn={goOn} />
      </Dialog>
    </Banner>
  );
}
