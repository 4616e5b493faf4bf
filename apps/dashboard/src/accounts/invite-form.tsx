import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { accountApi } from "../api/account-client.ts";
import { bodyOf } from "../api/client.ts";
import { authConfigQuery, type Organization } from "../shell/account.ts";
import { Button } from "../ui/button.tsx";
import { CopyButton } from "../ui/copy-button.tsx";
import { SelectField, TextField } from "../ui/field.tsx";
import { Panel, Section } from "../ui/page.tsx";
import { ProblemLine } from "../ui/states.tsx";
import { invitationsQuery } from "./queries.ts";

/** Invites by e-mail address. The link is shown once; where mail goes out it is mailed, too. */
export function InviteForm({ organization }: { organization: Organization }) {
  const queries = useQueryClient();
  const config = useQuery(authConfigQuery);
  const [email, setEmail] = useState("");
  const [role, setRole] = useState<"member" | "admin">("member");
  const invite = useMutation({
    mutationFn: () =>
      bodyOf(
        accountApi.POST("/api/v1/auth-org/organizations/{organizationId}/invitations", {
          params: { path: { organizationId: organization._id } },
          body: { email: email.trim(), role },
        }),
      ),
    onSuccess: () => {
      setEmail("");
      void queries.invalidateQueries({ queryKey: invitationsQuery(organization._id).queryKey });
    },
  });
  function submit(event: FormEvent): void {
    event.preventDefault();
    if (email.trim() !== "") invite.mutate();
  }
  const isMailed = config.data?.mode === "enabled" && config.data.emailEnabled;
  return (
    <Section title="Invite">
      <form onSubmit={submit} className="flex flex-wrap items-end gap-2">
        <div className="min-w-0 flex-1 basis-64">
          <TextField
            label="E-mail address"
            type="email"
            autoComplete="off"
            value={email}
            onChange={(event) => setEmail(event.target.value)}
          />
        </div>
        <div className="w-32">
          <SelectField label="Role" value={role} onChange={(event) => setRole(event.target.value as typeof role)}>
            <option value="member">member</option>
            <option value="admin">admin</option>
          </SelectField>
        </div>
        <Button type="submit" look="primary" isBusy={invite.isPending} disabled={email.trim() === ""}>
          Invite
        </Button>
      </form>
      <p className="m-0 mt-1 text-xs text-faint">
        {role === "admin"
          ? "An admin also deletes traces, changes keys, prices and retention, and invites and removes members."
          : "A member reads everything and changes what is evaluated and monitored."}
      </p>
      {invite.error !== null && <ProblemLine problem={invite.error} className="mt-2" />}
      {invite.data !== undefined && (
        <Panel className="mt-3 p-3">
          <p role="status" className="m-0 mb-2">
            {invite.data.invitation.email} is invited.{" "}
            {isMailed
              ? "The link is mailed; you can pass it on yourself, too."
              : "Pass the link on; it is shown only now."}{" "}
            It works once, for seven days, for that address.
          </p>
          <div className="flex flex-wrap items-center gap-2">
            <code className="min-w-0 flex-1 break-all">{invite.data.url}</code>
            <CopyButton text={invite.data.url} name="the link" label="Copy the link" />
          </div>
        </Panel>
      )}
    </Section>
  );
}
