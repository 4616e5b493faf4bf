import { useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { disconnect } from "../api/connection.ts";
import { buttonClasses } from "../ui/button.tsx";
import { ChevronDownIcon } from "../ui/icons.tsx";
import { Menu } from "../ui/menu.tsx";
import { connectionQuery, useSession } from "./session.tsx";

/** Which project is shown, the others, and the way out. */
export function ProjectMenu() {
  const { api, config, projects } = useSession();
  const navigate = useNavigate();
  const queries = useQueryClient();

  function open(projectId: string): void {
    // Nothing of one project may be seen in another.
    queries.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== connectionQuery.queryKey[0] });
    void navigate({ to: "/p/$projectId", params: { projectId } });
  }
  return (
    <Menu
      trigger={
        <button type="button" className={buttonClasses("ghost", "max-w-64 text-ink! font-medium")}>
          <span className="truncate">{api.project.name}</span>
          <ChevronDownIcon />
        </button>
      }
      items={[
        ...projects.map(({ _id, name }) => ({
          label: name,
          isChosen: _id === api.projectId,
          onChoose: () => open(_id),
        })),
        null,
        config.mode === "disabled"
          ? {
              label: "Disconnect",
              onChoose: () => {
                disconnect(localStorage);
                queries.clear();
                void queries.resetQueries({ queryKey: connectionQuery.queryKey });
                void navigate({ to: "/" });
              },
            }
          : { label: "Account", onChoose: () => window.location.assign("/account") },
      ]}
    />
  );
}
