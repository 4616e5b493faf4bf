import { useNavigate, useParams } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { useSession } from "../shell/session.tsx";
import { Page } from "../ui/page.tsx";
import { Tabs } from "../ui/tabs.tsx";
import { AboutTab } from "./about-tab.tsx";
import { InstallationTab } from "./installation-tab.tsx";
import { KeyTab } from "./key-tab.tsx";
import { ModelsTab } from "./models-tab.tsx";
import { ProjectTab } from "./project-tab.tsx";
import { ProviderKeysTab } from "./provider-keys-tab.tsx";
import { RetentionTab } from "./retention-tab.tsx";
import { UsageTab } from "./usage-tab.tsx";

const tabs = [
  { key: "key", label: "API key", panel: () => <KeyTab /> },
  { key: "provider-keys", label: "Provider keys", panel: () => <ProviderKeysTab /> },
  { key: "models", label: "Models and prices", panel: () => <ModelsTab /> },
  { key: "retention", label: "Retention", panel: () => <RetentionTab /> },
  { key: "usage", label: "Usage and quotas", panel: () => <UsageTab /> },
  { key: "project", label: "Project", panel: () => <ProjectTab /> },
  { key: "installation", label: "Installation", panel: () => <InstallationTab /> },
  { key: "about", label: "About", panel: () => <AboutTab /> },
] as const satisfies { key: string; label: string; panel: () => ReactNode }[];

/** The settings of a project, in tabs. An unknown tab in the URL opens the first. */
export function SettingsPage() {
  const { api, config } = useSession();
  const { tab } = useParams({ strict: false });
  const navigate = useNavigate();
  const chosen = tabs.find(({ key }) => key === tab) ?? tabs[0];
  // Where tenants are strangers to the operator, only its address opens the tab of the installation.
  const isTenant = config.mode === "enabled" && config.multiTenant;
  const shown = tabs.filter(({ key }) => key !== "installation" || !isTenant || key === chosen.key);
  return (
    <Page title={`${chosen.label} · Settings`} heading="Settings">
      <Tabs
        label="Settings"
        tabs={shown}
        chosen={chosen.key}
        onChoose={(key) =>
          void navigate({ to: "/p/$projectId/settings/$tab", params: { projectId: api.projectId, tab: key } })
        }
        className="flex max-w-4xl flex-col gap-8"
      >
        {chosen.panel()}
      </Tabs>
    </Page>
  );
}
