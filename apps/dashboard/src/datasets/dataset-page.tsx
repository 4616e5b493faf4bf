import { Page } from "../ui/page.tsx";
import { EmptyState } from "../ui/states.tsx";

export function DatasetPage() {
  return (
    <Page title="Dataset">
      <EmptyState title="Nothing here yet">This page is not built yet.</EmptyState>
    </Page>
  );
}
