import { useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useEffect, useState } from "react";
import { storeKey } from "../api/connection.ts";
import { Button, buttonClasses } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { TextField } from "../ui/field.tsx";
import { Banner } from "./banner.tsx";
import { useSession } from "./session.tsx";
import { SignInForm } from "./sign-in-form.tsx";

/**
 * Reports that the session has ended, or that the key no longer works, and fixes it in place: the page below is
 * unchanged, with all input. After a sign-in in another tab, returning to this one is enough.
 */
export function RefusedBanner() {
  const { config, isRefused, reconnect } = useSession();
  const [isOpen, setOpen] = useState(false);
  useEffect(() => {
    if (!isRefused) return;
    const onReturn = (): void => {
      if (!document.hidden) reconnect().catch(() => undefined);
    };
    document.addEventListener("visibilitychange", onReturn);
    return () => document.removeEventListener("visibilitychange", onReturn);
  }, [isRefused, reconnect]);
  if (!isRefused) return null;
  const withAccounts = config.mode === "enabled";
  return (
    <Banner>
      <span className="flex-1 basis-64">
        {withAccounts
          ? "Your session has ended. Sign in to go on: what you typed here stays."
          : "The project's key no longer works. Paste the new one to go on: what you typed here stays."}
      </span>
      <Button look="primary" onClick={() => setOpen(true)}>
        {withAccounts ? "Sign in" : "Paste the key"}
      </Button>
      <Dialog
        isOpen={isOpen}
        onClose={() => setOpen(false)}
        title={withAccounts ? "Sign in again" : "Paste the project's new key"}
      >
        {withAccounts ? <SignInAgain /> : <NewKey />}
      </Dialog>
    </Banner>
  );
}

function SignInAgain() {
  const { user, reconnect } = useSession();
  const queries = useQueryClient();
  async function goOn(userId: string): Promise<void> {
    // Another user must not see the previous user's data.
    if (user !== null && userId !== user.id) queries.clear();
    await reconnect();
  }
  return (
    <SignInForm {...(user !== null && { email: user.email })} onSignedIn={(userId) => void goOn(userId)}>
      <a href="/sign-in" target="_blank" rel="noreferrer" className={buttonClasses("ghost")}>
        Sign in another way
      </a>
    </SignInForm>
  );
}

function NewKey() {
  const { reconnect } = useSession();
  const [key, setKey] = useState("");
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<string | null>(null);
  async function submit(event: FormEvent): Promise<void> {
    event.preventDefault();
    if (key.trim() === "") return;
    setBusy(true);
    storeKey(localStorage, key);
    const isOpen = await reconnect().catch(() => null);
    setBusy(false);
    if (isOpen === true) return;
    setError(isOpen === null ? "The server did not answer." : "This key does not open the project.");
  }
  return (
    <form onSubmit={(event) => void submit(event)} className="flex flex-col gap-3">
      <TextField
        label="Project API key"
        type="password"
        autoComplete="off"
        spellCheck={false}
        autoFocus
        value={key}
        error={error}
        onChange={(event) => setKey(event.target.value)}
      />
      <div>
        <Button type="submit" look="primary" isBusy={isBusy}>
          Connect
        </Button>
      </div>
    </form>
  );
}
