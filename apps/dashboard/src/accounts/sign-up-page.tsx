import { useMutation, useQuery } from "@tanstack/react-query";
import { useSearch } from "@tanstack/react-router";
import { type FormEvent, useState } from "react";
import { accountApi } from "../api/account-client.ts";
import { bodyOf } from "../api/client.ts";
import { sessionQuery } from "../shell/account.ts";
import { readNext, withNext } from "../shell/next-address.ts";
import { Redirect } from "../shell/sign-in-redirect.tsx";
import { Button } from "../ui/button.tsx";
import { TextField } from "../ui/field.tsx";
import { ProblemLine } from "../ui/states.tsx";
import { type AccountsConfig, Entry, EntryLink } from "./entry.tsx";
import { NewPasswordField, passwordMinChars } from "./new-password-field.tsx";
import { ProviderButtons } from "./provider-buttons.tsx";
import { useGoOn } from "./use-go-on.ts";
import { VerifyAgain } from "./verify-again.tsx";

/** Making an account; the first of an installation becomes its owner. */
export function SignUpPage() {
  const next = readNext(useSearch({ from: "/sign-up" }).next);
  const session = useQuery(sessionQuery);
  if (session.data) return <Redirect address={next ?? "/"} />;
  return <Entry title="Sign up">{(config) => <SignUp config={config} next={next} />}</Entry>;
}

function SignUp({ config, next }: { config: AccountsConfig; next: string | null }) {
  const [fields, setFields] = useState({ name: "", email: "", password: "" });
  const goOn = useGoOn();
  const email = fields.email.trim();
  const signUp = useMutation({
    mutationFn: () =>
      bodyOf(
        accountApi.POST("/api/v1/auth/sign-up/email", {
          body: { ...fields, name: fields.name.trim(), email, callbackURL: withNext("/verify", next) },
        }),
      ),
    onSuccess: ({ token }) => {
      if (token !== null) goOn(next);
    },
  });
  if (signUp.data !== undefined) {
    return (
      <>
        <p className="m-0">
          The account is made. A mail went to <strong>{email}</strong>: open its link to verify the address, then sign
          in.
        </p>
        <VerifyAgain email={email} next={next} />
      </>
    );
  }
  function submit(event: FormEvent): void {
    event.preventDefault();
    if (fields.password.length >= passwordMinChars) signUp.mutate();
  }
  const field = (name: keyof typeof fields) => ({
    name,
    required: true,
    value: fields[name],
    onChange: (event: { target: { value: string } }) => setFields({ ...fields, [name]: event.target.value }),
  });
  return (
    <>
      <p className="m-0 text-soft">{describe(config, next)}</p>
      <ProviderButtons config={config} next={next} />
      <form onSubmit={submit} className="flex flex-col gap-3">
        <TextField label="Name" autoComplete="name" autoFocus {...field("name")} />
        <TextField label="E-mail address" type="email" autoComplete="username" {...field("email")} />
        <NewPasswordField label="Password" {...field("password")} />
        {signUp.error !== null && <ProblemLine problem={signUp.error} />}
        <div>
          <Button type="submit" look="primary" isBusy={signUp.isPending}>
            {config.needsSetup ? "Make the first account" : "Sign up"}
          </Button>
        </div>
      </form>
      {!config.needsSetup && (
        <p className="m-0 text-soft">
          Already have an account?{" "}
          <EntryLink to="/sign-in" next={next}>
            Sign in
          </EntryLink>
        </p>
      )}
    </>
  );
}

/** The access that an account has in this installation. */
function describe(config: AccountsConfig, next: string | null): string {
  if (config.multiTenant) return "You get an organization of your own, with a project in it.";
  if (config.needsSetup) return "The first account owns this installation and every project that is there.";
  if (config.openSignup) return "You become a member of this installation's organization.";
  if (next?.startsWith("/accept-invite")) return "Use the address that was invited; the invitation is accepted next.";
  return "Somebody who is there has to invite you: an account alone opens no project.";
}
