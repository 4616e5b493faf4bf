import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { accountApi } from "../api/account-client.ts";
import { bodyOf } from "../api/client.ts";
import type { User } from "../api/connection.ts";
import { type Organization, organizationsQuery } from "../shell/account.ts";
import { Button } from "../ui/button.tsx";
import { ConfirmDialog } from "../ui/dialog.tsx";
import { TextField } from "../ui/field.tsx";
import { Section } from "../ui/page.tsx";

/** Deletes the account. The owner of an organization is asked to delete that first. */
export function DeleteAccount({ user, hasPassword }: { user: User; hasPassword: boolean }) {
  const [isAsking, setAsking] = useState(false);
  const organizations = useQuery(organizationsQuery).data?.organizations;
  const owned = organizations?.filter(({ role }) => role === "owner").map(({ name }) => name) ?? [];
  return (
    <Section title="Delete the account">
      <p className="m-0 mb-3 max-w-2xl text-soft">
        {owned.length > 0
          ? `You own ${owned.join(", ")}. An organization keeps its owner: delete it first.`
          : "Your sessions end and you leave your organizations. What you made in them stays."}
      </p>
      <Button look="danger" disabled={organizations === undefined || owned.length > 0} onClick={() => setAsking(true)}>
        Delete the account
      </Button>
      {isAsking && (
        <ConfirmDeletion
          user={user}
          hasPassword={hasPassword}
          organizations={organizations ?? []}
          onClose={() => setAsking(false)}
        />
      )}
    </Section>
  );
}

interface ConfirmProps {
  user: User;
  hasPassword: boolean;
  organizations: readonly Organization[];
  onClose(): void;
}

function ConfirmDeletion({ user, hasPassword, organizations, onClose }: ConfirmProps) {
  const queries = useQueryClient();
  const navigate = useNavigate();
  const [typed, setTyped] = useState("");
  const [password, setPassword] = useState("");
  const isReady = typed.trim().toLowerCase() === user.email && (!hasPassword || password !== "");

  async function remove(): Promise<void> {
    await bodyOf(
      accountApi.DELETE("/api/v1/auth-org/account", {
        body: { confirmEmail: typed, ...(hasPassword && { password }) },
      }),
    );
    await navigate({ to: "/sign-in", replace: true });
    queries.clear();
  }
  return (
    <ConfirmDialog
      isOpen
      onClose={onClose}
      title="Delete your account?"
      verb="Delete the account"
      isReady={isReady}
      onConfirm={remove}
    >
      <p className="m-0 mb-4">
        {organizations.length > 0 && `You leave ${organizations.map(({ name }) => name).join(", ")}. `}
        Invitations that you sent and that are still open are withdrawn. This cannot be undone.
      </p>
      <div className="flex flex-col gap-3">
        <TextField
          label={`Type ${user.email} to confirm`}
          autoComplete="off"
          spellCheck={false}
          value={typed}
          onChange={(event) => setTyped(event.target.value)}
        />
        {hasPassword && (
          <TextField
            label="Password"
            type="password"
            autoComplete="current-password"
            value={password}
            onChange={(event) => setPassword(event.target.value)}
          />
        )}
      </div>
    </ConfirmDialog>
  );
}
