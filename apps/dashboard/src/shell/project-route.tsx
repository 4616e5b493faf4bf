import { useQuery } from "@tanstack/react-query";
import { createRootRoute, createRoute, Link, Navigate, Outlet } from "@tanstack/react-router";
import { Button } from "../ui/button.tsx";
import { EmptyState, ProblemState, problemSentence, Skeleton } from "../ui/states.tsx";
import { Frame } from "./frame.tsx";
import { KeyScreen } from "./key-screen.tsx";
import { connectionQuery, ProjectGate } from "./session.tsx";
import { SignInRedirect } from "./sign-in-redirect.tsx";

export const rootRoute = createRootRoute({
  component: Outlet,
  errorComponent: BrokenPage,
  notFoundComponent: () => (
    <EmptyState title="There is no such page">
      <Link to="/" className="text-accent">
        Open the overview
      </Link>
    </EmptyState>
  ),
});

/** `/` opens the first project. */
export const homeRoute = createRoute({ getParentRoute: () => rootRoute, path: "/", component: Home });

/** Everything of one project stands below; its pages find the API in `useApi`. */
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
      <EmptyState title="No project yet">
        You are not a member of any organization. Ask somebody who is for an invitation; its link brings you here.
      </EmptyState>
    );
  }
  return <Navigate to="/p/$projectId" params={{ projectId: first._id }} replace />;
}

/** A page that threw, or whose files are gone because the server was upgraded while this tab was open. */
function BrokenPage({ error }: { error: unknown }) {
  const isGone = error instanceof TypeError && /module|import/i.test(error.message);
  return (
    <EmptyState
      title={isGone ? "Touchstone was upgraded" : "This page failed"}
      actions={
        <Button look="primary" onClick={() => window.location.reload()}>
          Load the page again
        </Button>
      }
    >
      {isGone
        ? "This tab still shows the version before. Loading it again brings the new one."
        : problemSentence(error)}
    </EmptyState>
  );
}
