import { useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { readNext } from "../shell/next-address.ts";
import { TextField } from "../ui/field.tsx";
import { Entry, EntryLink } from "./entry.tsx";
import { VerifyAgain } from "./verify-again.tsx";

/** Where the link of a verification mail leads. */
export function VerifyPage() {
  const { error, ...search } = useSearch({ from: "/verify" });
  const next = readNext(search.next);
  const [email, setEmail] = useState("");
  if (error === undefined) {
    return (
      <Entry title="The address is verified">
        {() => (
          <p className="m-0">
            <EntryLink to="/sign-in" next={next}>
              Go on
            </EntryLink>
          </p>
        )}
      </Entry>
    );
  }
  return (
    <Entry title="The link does not work any more">
      {() => (
        <>
          <p className="m-0 text-soft">It works for an hour. Have another one mailed:</p>
          <TextField
            label="E-mail address"
            type="email"
            autoComplete="username"
            value={email}
            onChange={(event) => setEmail(event.target.value)}
          />
          <VerifyAgain email={email.trim()} next={next} />
        </>
      )}
    </Entry>
  );
}
