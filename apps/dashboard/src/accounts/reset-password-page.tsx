import { useMutation } from "@tanstack/react-query";
import { useSearch } from "@tanstack/react-router";
import { type FormEvent, useState } from "react";
import { accountApi } from "../api/account-client.ts";
import { bodyOf } from "../api/client.ts";
import { readNext, withNext } from "../shell/next-address.ts";
import { Button } from "../ui/button.tsx";
import { TextField } from "../ui/field.tsx";
import { ProblemLine } from "../ui/states.tsx";
import { Entry, EntryLink } from "./entry.tsx";
import { NewPasswordField, passwordMinChars } from "./new-password-field.tsx";

/** Asks for the mail with the link, and is where that link leads. */
export function ResetPasswordPage() {
  const { token, error, ...search } = useSearch({ from: "/reset-password" });
  const next = readNext(search.next);
  return (
    <Entry title="Choose a new password">
      {(config) => {
        if (token !== undefined && error === undefined) return <ChoosePassword token={token} next={next} />;
        if (!config.emailEnabled) {
          return (
            <p className="m-0 text-soft">
              This installation sends no mail, so it cannot send a link. Ask who runs it: <code>SERVICE_SMTP_URL</code>{" "}
              adds mail.
            </p>
          );
        }
        return (
          <>
            {error !== undefined && (
              <p role="alert" className="m-0 rounded-sm bg-bad-ground px-2.5 py-1.5 text-bad">
                The link does not work any more: it works once, for an hour. Ask for another one.
              </p>
            )}
            <RequestLink next={next} />
          </>
        );
      }}
    </Entry>
  );
}

function RequestLink({ next }: { next: string | null }) {
  const [email, setEmail] = useState("");
  const request = useMutation({
    mutationFn: () =>
      bodyOf(
        accountApi.POST("/api/v1/auth/request-password-reset", {
          body: { email: email.trim(), redirectTo: withNext("/reset-password", next) },
        }),
      ),
  });
  if (request.isSuccess) {
    return (
      <p role="status" className="m-0">
        If there is an account of <strong>{email.trim()}</strong>, a mail is on its way to it. The link in it works
        once, for an hour.
      </p>
    );
  }
  function submit(event: FormEvent): void {
    event.preventDefault();
    request.mutate();
  }
  return (
    <form onSubmit={submit} className="flex flex-col gap-3">
      <TextField
        label="E-mail address"
        type="email"
        name="email"
        autoComplete="username"
        required
        autoFocus
        value={email}
        onChange={(event) => setEmail(event.target.value)}
      />
      {request.error !== null && <ProblemLine problem={request.error} />}
      <div className="flex flex-wrap items-center justify-between gap-3">
        <Button type="submit" look="primary" isBusy={request.isPending}>
          Mail a link
        </Button>
        <EntryLink to="/sign-in" next={next}>
          Back to signing in
        </EntryLink>
      </div>
    </form>
  );
}

function ChoosePassword({ token, next }: { token: string; next: string | null }) {
  const [password, setPassword] = useState("");
  const reset = useMutation({
    mutationFn: () =>
      bodyOf(accountApi.POST("/api/v1/auth/reset-password", { body: { newPassword: password, token } })),
  });
  if (reset.isSuccess) {
    return (
      <p role="status" className="m-0">
        The password is changed, and every session has ended.{" "}
        <EntryLink to="/sign-in" next={next}>
          Sign in with it
        </EntryLink>
      </p>
    );
  }
  function submit(event: FormEvent): void {
    event.preventDefault();
    if (password.length >= passwordMinChars) reset.mutate();
  }
  return (
    <form onSubmit={submit} className="flex flex-col gap-3">
      <NewPasswordField
        label="New password"
        required
        autoFocus
        value={password}
        onChange={(event) => setPassword(event.target.value)}
      />
      {reset.error !== null && (
        <>
          <ProblemLine problem={reset.error} />
          <EntryLink to="/reset-password" next={next}>
            Ask for another link
          </EntryLink>
        </>
      )}
      <div>
        <Button type="submit" look="primary" isBusy={reset.isPending}>
          Change the password
        </Button>
      </div>
    </form>
  );
}
