import { queryOptions, useQuery, useQueryClient } from "@tanstack/react-query";
import { createContext, type ReactNode, useContext, useMemo, useState } from "react";
import { createProjectApi, type ProjectApi } from "../api/client.ts";
import { type AuthConfig, connect, type Project } from "../api/connection.ts";
import { Button, ButtonLink, buttonClasses } from "../ui/button.tsx";
import { EmptyState, ProblemState, Skeleton } from "../ui/states.tsx";
import { KeyScreen } from "./key-screen.tsx";
import { SignInRedirect } from "./sign-in-redirect.tsx";

interface Session {
  config: AuthConfig;
  projects: readonly Project[];
  api: ProjectApi;
}

const SessionContext = createContext<Session | null>(null);

/** Who this browser is. Asked once, and again when a key or a session is refused. */
export const connectionQuery = queryOptions({
  queryKey: ["connection"],
  queryFn: () => connect(localStorage),
  staleTime: Number.POSITIVE_INFINITY,
});

/** The API as the project of the URL sees it. */
export function useApi(): ProjectApi {
  return useSession().api;
}

/** The projects of this browser and how people sign in. */
export function useSession(): Session {
  const session = useContext(SessionContext);
  if (session === null) throw new Error("useSession outside of a project");
  return session;
}

/** Lets a project's pages through once it is known who asks; else says what is missing. */
export function ProjectGate({ projectId, children }: { projectId: string; children: ReactNode }) {
  const connection = useQuery(connectionQuery);
  if (connection.data === undefined) {
    return connection.error === null ? (
      <Skeleton className="m-auto w-96 max-w-full p-4" />
    ) : (
      <ProblemState problem={connection.error} onRetry={() => void connection.refetch()} />
    );
  }
  if (connection.data.state === "needs-key") return <KeyScreen reason={connection.data.reason} />;
  if (connection.data.state === "needs-sign-in") return <SignInRedirect />;
  const { config, projects } = connection.data;
  const project = projects.find(({ _id }) => _id === projectId);
  if (project === undefined) return <ForeignProject first={projects[0]} />;
  return (
    <ReadySession config={config} projects={projects} project={project}>
      {children}
    </ReadySession>
  );
}

function ReadySession({
  config,
  projects,
  project,
  children,
}: {
  config: AuthConfig;
  projects: readonly Project[];
  project: Project;
  children: ReactNode;
}) {
  const queries = useQueryClient();
  const [isRefused, setRefused] = useState(false);
  const { _id: projectId, apiKey } = project;
  const session = useMemo(() => {
    const onRefused = async (): Promise<Project | null> => {
      const renewed = await connect(localStorage);
      const own = renewed.state === "ready" ? renewed.projects.find(({ _id }) => _id === projectId) : undefined;
      // The page stays as it is, with what was typed into it.
      setRefused(own === undefined);
      if (own !== undefined) queries.setQueryData(connectionQuery.queryKey, renewed);
      return own ?? null;
    };
    return { config, projects, api: createProjectApi({ config, project, onRefused }) };
  }, [config, projects, projectId, apiKey]);
  return (
    <SessionContext value={session}>
      {isRefused && <RefusedBanner withAccounts={config.mode === "enabled"} onAgain={() => setRefused(false)} />}
      {children}
    </SessionContext>
  );
}

/** What was typed is still there: signing in happens in another tab. */
function RefusedBanner({ withAccounts, onAgain }: { withAccounts: boolean; onAgain(): void }) {
  const queries = useQueryClient();
  const goOn = (): void => {
    onAgain();
    void queries.refetchQueries({ type: "active" });
  };
  return (
    <div
      role="alert"
      className="flex flex-wrap items-center gap-3 border-b border-warn bg-warn-ground px-4 py-2 md:px-6"
    >
      <span className="flex-1">
        {withAccounts
          ? "Your session has ended. Sign in in another tab and come back: what you typed here stays."
          : "The project's key does not work any more. What you typed here stays until you connect again."}
      </span>
      {withAccounts ? (
        <a href="/sign-in" target="_blank" rel="noreferrer" className={buttonClasses()}>
          Sign in
        </a>
      ) : (
        <Button onClick={() => void queries.resetQueries({ queryKey: connectionQuery.queryKey })}>Connect again</Button>
      )}
      <Button look="primary" onClick={goOn}>
        Go on
      </Button>
    </div>
  );
}

function ForeignProject({ first }: { first: Project | undefined }) {
  return (
    <EmptyState
      title="Not here, or not yours"
      actions={
        first && (
          <ButtonLink to="/p/$projectId" params={{ projectId: first._id }} look="primary">
            Open {first.name}
          </ButtonLink>
        )
      }
    >
      The project of this address does not exist, or you are not a member of its organization.
    </EmptyState>
  );
}
