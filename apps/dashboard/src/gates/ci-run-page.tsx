import { Page } from "../ui/page.tsx";
import { EmptyState } from "../ui/states.tsx";

export function CiRunPage() {
  return (
    <Page title="CI run">
      <EmptyState title="Nothing here yet">This page is not built yet.</EmptyState>
    </Page>
  );
}
