import { useMutation } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { accountApi } from "../api/account-client.ts";
import { bodyOf } from "../api/client.ts";
import { Button } from "../ui/button.tsx";
import { TextField } from "../ui/field.tsx";
import { Section } from "../ui/page.tsx";
import { ProblemLine } from "../ui/states.tsx";
import { useToasts } from "../ui/toasts.tsx";
import { NewPasswordField, passwordMinChars } from "./new-password-field.tsx";

const nothing = { currentPassword: "", newPassword: "" };

/** A new password; it ends the sessions of other browsers. */
export function ChangePassword() {
  const [fields, setFields] = useState(nothing);
  const { say } = useToasts();
  const change = useMutation({
    mutationFn: () => bodyOf(accountApi.POST("/api/v1/auth/change-password", { body: fields })),
    onSuccess: () => {
      setFields(nothing);
      say("The password is changed. Sessions in other browsers have ended.");
    },
  });
  const isComplete = fields.currentPassword !== "" && fields.newPassword.length >= passwordMinChars;
  function submit(event: FormEvent): void {
    event.preventDefault();
    if (isComplete) change.mutate();
  }
  return (
    <Section title="Password">
      <form onSubmit={submit} className="flex max-w-sm flex-col gap-3">
        <TextField
          label="Present password"
          type="password"
          autoComplete="current-password"
          value={fields.currentPassword}
          onChange={(event) => setFields({ ...fields, currentPassword: event.target.value })}
        />
        <NewPasswordField
          label="New password"
          value={fields.newPassword}
          onChange={(event) => setFields({ ...fields, newPassword: event.target.value })}
        />
        {change.error !== null && <ProblemLine problem={change.error} />}
        <div>
          <Button type="submit" isBusy={change.isPending} disabled={!isComplete}>
            Change the password
          </Button>
        </div>
        <p className="m-0 text-xs text-faint">Sessions in other browsers end with it.</p>
      </form>
    </Section>
  );
}
