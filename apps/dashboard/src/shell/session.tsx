import { queryOptions, useQuery, useQueryClient } from "@tanstack/react-query";
import { createContext, type ReactNode, useContext, useMemo, useState } from "react";
import { takeConnection } from "../api/ahead.ts";
import { createProjectApi, type ProjectApi } from "../api/client.ts";
import { type AuthConfig, type Connection, connect, type Project, type User } from "../api/connection.ts";
import { ButtonLink } from "../ui/button.tsx";
import { EmptyState, ProblemState, Skeleton } from "../ui/states.tsx";
import { useToasts } from "../ui/toasts.tsx";
import { KeyScreen } from "./key-screen.tsx";
import { SignInRedirect } from "./sign-in-redirect.tsx";

interface Session {
  config: AuthConfig;
  projects: readonly Project[];
  /** Null without accounts. */
  user: User | null;
  api: ProjectApi;
  /** True after the key or the session was refused and a second attempt failed. */
  isRefused: boolean;
  /** Determines the identity again. True when the project is accessible again; the page is unchanged in any case. */
  reconnect(): Promise<boolean>;
}

const SessionContext = createContext<Session | null>(null);

/** This browser's identity. Loaded once, and again when a key or a session is refused. */
export const connectionQuery = queryOptions({
  queryKey: ["connection"],
  queryFn: takeConnection,
  staleTime: Number.POSITIVE_INFINITY,
});

/** The API of the project in the URL. */
export function useApi(): ProjectApi {
  return useSession().api;
}

/** The projects of this browser and the sign-in methods. */
export function useSession(): Session {
  const session = useContext(SessionContext);
  if (session === null) throw new Error("useSession outside of a project");
  return session;
}

/** Shows a project's pages once the browser's identity is known; otherwise shows what is missing. */
export function ProjectGate({ projectId, children }: { projectId: string; children: ReactNode }) {
  const connection = useQuery(connectionQuery);
  if (connection.data === undefined) {
    return connection.error === null ? (
      <Skeleton className="m-auto w-96 max-w-full p-4" />
    ) : (
      <main>
        <ProblemState problem={connection.error} onRetry={() => void connection.refetch()} />
      </main>
    );
  }
  if (connection.data.state === "needs-key") return <KeyScreen reason={connection.data.reason} />;
  if (connection.data.state === "needs-sign-in") return <SignInRedirect />;
  const { projects } = connection.data;
  const project = projects.find(({ _id }) => _id === projectId);
  if (project === undefined) return <ForeignProject first={projects[0]} />;
  return (
    <ReadySession connection={connection.data} project={project}>
      {children}
    </ReadySession>
  );
}

interface ReadyProps {
  connection: Extract<Connection, { state: "ready" }>;
  project: Project;
  children: ReactNode;
}

function ReadySession({ connection: { config, projects, user }, project, children }: ReadyProps) {
  const queries = useQueryClient();
  const { say } = useToasts();
  const [isRefused, setRefused] = useState(false);
  const { _id: projectId, apiKey } = project;
  const connected = useMemo(() => {
    const onRefused = async (): Promise<Project | null> => {
      const renewed = await connect(localStorage);
      const own = renewed.state === "ready" ? renewed.projects.find(({ _id }) => _id === projectId) : undefined;
      // The page stays mounted, with all input.
      setRefused(own === undefined);
      if (own === undefined) return null;
      queries.setQueryData(connectionQuery.queryKey, renewed);
      if (own.apiKey !== apiKey && config.mode === "disabled") {
        say("The project's key was replaced. This page continues with the new one.");
      }
      return own;
    };
    return { onRefused, api: createProjectApi({ config, project, onRefused }) };
  }, [config, projects, projectId, apiKey]);
  const { api, onRefused } = connected;
  const reconnect = async (): Promise<boolean> => {
    const isOpen = (await onRefused()) !== null;
    if (isOpen) void queries.refetchQueries({ type: "active" });
    return isOpen;
  };
  return <SessionContext value={{ config, projects, user, api, isRefused, reconnect }}>{children}</SessionContext>;
}

function ForeignProject({ first }: { first: Project | undefined }) {
  return (
    <main>
      <EmptyState
        isWholePage
        title="Not here, or not yours"
        actions={
          <>
            {first && (
              <ButtonLink to="/p/$projectId" params={{ projectId: first._id }} look="primary">
                Open {first.name}
              </ButtonLink>
            )}
            <ButtonLink to="/">Start from the beginning</ButtonLink>
          </>
        }
      >
        The project of this address does not exist, or you are not a member of its organization.
      </EmptyState>
    </main>
  );
}
