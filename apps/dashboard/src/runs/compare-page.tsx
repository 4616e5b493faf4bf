import { Page } from "../ui/page.tsx";
import { EmptyState } from "../ui/states.tsx";

export function ComparePage() {
  return (
    <Page title="Compare">
      <EmptyState title="Nothing here yet">This page is not built yet.</EmptyState>
    </Page>
  );
}
