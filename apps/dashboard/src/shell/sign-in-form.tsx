import { useMutation } from "@tanstack/react-query";
import { type FormEvent, type ReactNode, useState } from "react";
import { accountApi } from "../api/account-client.ts";
import { bodyOf } from "../api/client.ts";
import { ApiProblem } from "../api/problem.ts";
import { Button } from "../ui/button.tsx";
import { TextField } from "../ui/field.tsx";
import { ProblemLine } from "../ui/states.tsx";

export interface SignInFormProps {
  /** Known from the previous session, or from a link. */
  email?: string;
  /** Called with the user's id once a session exists. */
  onSignedIn(userId: string): void;
  /** Shown beside the error for an unverified address. */
  renderUnverified?: (email: string) => ReactNode;
  /** Shown beside the button. */
  children?: ReactNode;
}

/** Address and password. Input is kept after a refusal. */
export function SignInForm({ email: known = "", onSignedIn, renderUnverified, children }: SignInFormProps) {
  const [email, setEmail] = useState(known);
  const [password, setPassword] = useState("");
  const signIn = useMutation({
    mutationFn: () =>
      bodyOf(accountApi.POST("/api/v1/auth/sign-in/email", { body: { email: email.trim(), password } })),
    onSuccess: ({ user }) => onSignedIn(user.id),
  });
  const isUnverified = signIn.error instanceof ApiProblem && signIn.error.code === "EMAIL_NOT_VERIFIED";
  function submit(event: FormEvent): void {
    event.preventDefault();
    signIn.mutate();
  }
  return (
    <form onSubmit={submit} className="flex flex-col gap-3">
      <TextField
        label="E-mail address"
        type="email"
        name="email"
        autoComplete="username"
        required
        autoFocus={known === ""}
        value={email}
        onChange={(event) => setEmail(event.target.value)}
      />
      <TextField
        label="Password"
        type="password"
        name="password"
        autoComplete="current-password"
        required
        autoFocus={known !== ""}
        value={password}
        onChange={(event) => setPassword(event.target.value)}
      />
      {signIn.error !== null && <ProblemLine problem={signIn.error} />}
      {isUnverified && renderUnverified?.(email.trim())}
      <div className="flex flex-wrap items-center justify-between gap-3">
        <Button type="submit" look="primary" isBusy={signIn.isPending}>
          Sign in
        </Button>
        {children}
      </div>
    </form>
  );
}
