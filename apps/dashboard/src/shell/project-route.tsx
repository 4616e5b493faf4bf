import { type QueryClient, useQuery } from "@tanstack/react-query";
import { createRootRouteWithContext, createRoute, Link, Navigate, Outlet } from "@tanstack/react-router";
import { ButtonLink } from "../ui/button.tsx";
import { EmptyState, ProblemState, Skeleton } from "../ui/states.tsx";
import { BrokenPage } from "./broken-page.tsx";
import { Frame } from "./frame.tsx";
import { KeyScreen } from "./key-screen.tsx";
import { connectionQuery, ProjectGate } from "./session.tsx";
import { SignInRedirect } from "./sign-in-redirect.tsx";

export const rootRoute = createRootRouteWithContext<{ queries: QueryClient }>()({
  component: Outlet,
  errorComponent: BrokenPage,
  notFoundComponent: () => (
    <EmptyState title="There is no such page" isWholePage>
      <Link to="/" className="text-accent">
        Open the overview
      </Link>
    </EmptyState>
  ),
});

/** `/` opens the first project. */
export const homeRoute = createRoute({ getParentRoute: () => rootRoute, path: "/", component: Home });

/** All pages of one project are below this route; they find the API in `useApi`. */
export const projectRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/p/$projectId",
  component: ProjectPages,
});

function ProjectPages() {
  const { projectId } = projectRoute.useParams();
  return (
    <ProjectGate projectId={projectId}>
      <Frame projectId={projectId} />
    </ProjectGate>
  );
}

function Home() {
  const connection = useQuery(connectionQuery);
  if (connection.data === undefined) {
    return connection.error === null ? (
      <Skeleton className="p-8" />
    ) : (
      <ProblemState problem={connection.error} onRetry={() => void connection.refetch()} />
    );
  }
  if (connection.data.state === "needs-key") return <KeyScreen reason={connection.data.reason} />;
  if (connection.data.state === "needs-sign-in") return <SignInRedirect />;
  const [first] = connection.data.projects;
  if (first === undefined) {
    return (
      <main>
        <EmptyState title="No project yet" isWholePage actions={<ButtonLink to="/account">Account</ButtonLink>}>
          You are not a member of any organization. Ask a member for an invitation; its link brings you here.
        </EmptyState>
      </main>
    );
  }
  return <Navigate to="/p/$projectId" params={{ projectId: first._id }} replace />;
}
