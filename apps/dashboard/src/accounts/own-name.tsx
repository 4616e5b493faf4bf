import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { accountApi } from "../api/account-client.ts";
import { bodyOf } from "../api/client.ts";
import type { User } from "../api/connection.ts";
import { Button } from "../ui/button.tsx";
import { TextField } from "../ui/field.tsx";
import { Badge, Section } from "../ui/page.tsx";
import { ProblemLine } from "../ui/states.tsx";
import { useToasts } from "../ui/toasts.tsx";

/** The name that others see, and the address that is signed in with. */
export function OwnName({ user }: { user: User }) {
  const queries = useQueryClient();
  const { say } = useToasts();
  const [name, setName] = useState(user.name);
  const rename = useMutation({
    mutationFn: () => bodyOf(accountApi.PATCH("/api/v1/auth-org/account", { body: { name: name.trim() } })),
    onSuccess: () => {
      say("Your name is changed.");
      return queries.invalidateQueries({ queryKey: ["account"] });
    },
  });
  const isChanged = name.trim() !== "" && name.trim() !== user.name;
  function submit(event: FormEvent): void {
    event.preventDefault();
    if (isChanged) rename.mutate();
  }
  return (
    <Section title="You">
      <p className="m-0 mb-3 flex flex-wrap items-center gap-2">
        <span className="break-all">{user.email}</span> {user.emailVerified && <Badge look="good">verified</Badge>}
      </p>
      <form onSubmit={submit} className="flex max-w-lg flex-wrap items-end gap-2">
        <div className="min-w-0 flex-1 basis-60">
          <TextField
            label="Name"
            autoComplete="name"
            maxLength={200}
            value={name}
            onChange={(event) => setName(event.target.value)}
          />
        </div>
        <Button type="submit" isBusy={rename.isPending} disabled={!isChanged}>
          Change the name
        </Button>
      </form>
      {rename.error !== null && <ProblemLine problem={rename.error} className="mt-2 max-w-lg" />}
    </Section>
  );
}
