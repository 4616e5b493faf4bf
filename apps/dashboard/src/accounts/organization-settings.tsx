import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { type FormEvent, useState } from "react";
import { accountApi } from "../api/account-client.ts";
import { bodyOf } from "../api/client.ts";
import { membersQuery } from "../blocks/member-names.ts";
import type { Organization } from "../shell/account.ts";
import { Button } from "../ui/button.tsx";
import { ConfirmDialog } from "../ui/dialog.tsx";
import { TextField } from "../ui/field.tsx";
import { countOf } from "../ui/format.ts";
import { Section } from "../ui/page.tsx";
import { ProblemLine } from "../ui/states.tsx";
import { useToasts } from "../ui/toasts.tsx";
import { ownProjectsQuery } from "./queries.ts";

/** The organization's name, and its end. */
export function OrganizationSettings({ organization }: { organization: Organization }) {
  return (
    <>
      <RenameOrganization key={organization.name} organization={organization} />
      <DeleteOrganization organization={organization} />
    </>
  );
}

function RenameOrganization({ organization }: { organization: Organization }) {
  const queries = useQueryClient();
  const { say } = useToasts();
  const [name, setName] = useState(organization.name);
  const rename = useMutation({
    mutationFn: () =>
      bodyOf(
        accountApi.PATCH("/api/v1/auth-org/organizations/{organizationId}", {
          params: { path: { organizationId: organization._id } },
          body: { name: name.trim() },
        }),
      ),
    onSuccess: () => {
      say(`The organization is named ${name.trim()}.`);
      return queries.invalidateQueries({ queryKey: ["account"] });
    },
  });
  const may = organization.role !== "member";
  const isChanged = name.trim() !== "" && name.trim() !== organization.name;
  function submit(event: FormEvent): void {
    event.preventDefault();
    if (isChanged && may) rename.mutate();
  }
  return (
    <Section title="Name">
      <form onSubmit={submit} className="flex max-w-lg flex-wrap items-end gap-2">
        <div className="min-w-0 flex-1 basis-60">
          <TextField
            label="Name of the organization"
            maxLength={200}
            disabled={!may}
            value={name}
            onChange={(event) => setName(event.target.value)}
          />
        </div>
        <Button
          type="submit"
          isBusy={rename.isPending}
          disabled={!isChanged || !may}
          hint={may ? undefined : "Only an owner or admin may do this."}
        >
          Rename
        </Button>
      </form>
      {rename.error !== null && <ProblemLine problem={rename.error} className="mt-2 max-w-lg" />}
    </Section>
  );
}

function DeleteOrganization({ organization }: { organization: Organization }) {
  const [isAsking, setAsking] = useState(false);
  const may = organization.role === "owner";
  return (
    <Section title="Delete the organization">
      <p className="m-0 mb-3 text-soft">
        All its projects go with their data, keys, members, invitations and log. Accounts stay.
      </p>
      <Button
        look="danger"
        disabled={!may}
        hint={may ? undefined : "Only the owner may do this."}
        onClick={() => setAsking(true)}
      >
        Delete the organization
      </Button>
      {isAsking && <ConfirmDeletion organization={organization} onClose={() => setAsking(false)} />}
    </Section>
  );
}

function ConfirmDeletion({ organization, onClose }: { organization: Organization; onClose(): void }) {
  const queries = useQueryClient();
  const navigate = useNavigate();
  const { say } = useToasts();
  const members = useQuery(membersQuery(organization._id));
  const projects = useQuery(ownProjectsQuery);
  const [typed, setTyped] = useState("");
  const own = projects.data?.projects.filter(({ organizationId }) => organizationId === organization._id);

  async function remove(): Promise<void> {
    await bodyOf(
      accountApi.DELETE("/api/v1/auth-org/organizations/{organizationId}", {
        params: { path: { organizationId: organization._id } },
        body: { confirmName: organization.name },
      }),
    );
    say(`${organization.name} is deleted. The data of its projects goes in the background.`);
    await navigate({ to: "/account", replace: true });
    queries.clear();
  }
  return (
    <ConfirmDialog
      isOpen
      onClose={onClose}
      title={`Delete ${organization.name}?`}
      verb="Delete the organization"
      isReady={typed.trim() === organization.name}
      onConfirm={remove}
    >
      <p className="m-0 mb-2">
        {own === undefined || members.data === undefined
          ? "Counting what is in it."
          : `${countOf(own.length, "project")} with all traces, datasets and runs are deleted, and ${countOf(members.data.members.length, "member")} lose them. Every key stops at once.`}
      </p>
      {own !== undefined && own.length > 0 && (
        <p className="m-0 mb-4 text-soft">{own.map(({ name }) => name).join(", ")}</p>
      )}
      <TextField
        label={`Type ${organization.name} to confirm`}
        autoComplete="off"
        spellCheck={false}
        value={typed}
        onChange={(event) => setTyped(event.target.value)}
      />
    </ConfirmDialog>
  );
}
