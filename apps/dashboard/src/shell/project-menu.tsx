import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { disconnect } from "../api/connection.ts";
import { buttonClasses } from "../ui/button.tsx";
import { ChevronDownIcon } from "../ui/icons.tsx";
import { Menu } from "../ui/menu.tsx";
import type { MenuItem } from "../ui/menu-popup.tsx";
import { useShortcutSheet } from "../ui/shortcuts.tsx";
import { useToasts } from "../ui/toasts.tsx";
import { organizationsQuery, signOut } from "./account.ts";
import { NewProject } from "./new-project.tsx";
import { connectionQuery, useSession } from "./session.tsx";

/** The current project, the other ones, a new one, the keyboard shortcuts, and sign-out. */
export function ProjectMenu() {
  const { api, config, projects } = useSession();
  const navigate = useNavigate();
  const queries = useQueryClient();
  const openSheet = useShortcutSheet();
  const [isMaking, setMaking] = useState(false);
  const organizations = useQuery({ ...organizationsQuery, enabled: config.mode === "enabled" });
  const own = organizations.data?.organizations ?? [];
  // For a member of several organizations, a project's name alone is ambiguous.
  const nameOf = ({ name, organizationId }: (typeof projects)[number]): string => {
    const organization = own.length > 1 ? own.find(({ _id }) => _id === organizationId) : undefined;
    return organization === undefined ? name : `${organization.name} / ${name}`;
  };

  function open(projectId: string): void {
    // No data of one project may be visible in another.
    queries.removeQueries({ predicate: ({ queryKey }) => queryKey[0] === api.projectId });
    void navigate({ to: "/p/$projectId", params: { projectId } });
  }
  return (
    <>
      <Menu
        trigger={
          <button type="button" className={buttonClasses("ghost", "max-w-64 text-ink! font-medium")}>
            <span className="truncate">{nameOf(api.project)}</span>
            <ChevronDownIcon />
          </button>
        }
        items={[
          ...projects.map((project) => ({
            label: nameOf(project),
            isChosen: project._id === api.projectId,
            onChoose: () => open(project._id),
          })),
          { label: "New project", onChoose: () => setMaking(true) },
          null,
          { label: "Keyboard shortcuts", onChoose: openSheet },
          null,
          ...useWaysOut(),
        ]}
      />
      {isMaking && <NewProject onClose={() => setMaking(false)} onMade={open} />}
    </>
  );
}

/** Without accounts: forget the key. With accounts: the account, the organization, and sign-out. */
function useWaysOut(): MenuItem[] {
  const { api, config, user } = useSession();
  const navigate = useNavigate();
  const queries = useQueryClient();
  const { warn } = useToasts();
  if (config.mode === "disabled") {
    const leave = (): void => {
      disconnect(localStorage);
      queries.clear();
      void queries.resetQueries({ queryKey: connectionQuery.queryKey });
      void navigate({ to: "/" });
    };
    return [{ label: "Disconnect", onChoose: leave }];
  }
  const { organizationId } = api.project;
  const leave = (): void => {
    signOut(queries).then(() => navigate({ to: "/sign-in" }), warn);
  };
  return [
    ...(organizationId === null
      ? []
      : [
          {
            label: "Members",
            onChoose: () => void navigate({ to: "/org/$organizationId/members", params: { organizationId } }),
          },
        ]),
    { label: user === null ? "Account" : `Account: ${user.email}`, onChoose: () => void navigate({ to: "/account" }) },
    { label: "Sign out", onChoose: leave },
  ];
}
