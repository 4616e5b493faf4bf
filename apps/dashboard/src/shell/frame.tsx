import { Link, Outlet, useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { IconButton } from "../ui/button.tsx";
import { classNames } from "../ui/class-names.ts";
import { useCopy } from "../ui/copy.ts";
import { MoonIcon, MoreIcon, SearchIcon, SunIcon } from "../ui/icons.tsx";
import { useIsNarrow } from "../ui/media-query.ts";
import { Menu } from "../ui/menu.tsx";
import { useShortcuts } from "../ui/shortcuts.tsx";
import { ConnectionLostBanner } from "./connection-lost-banner.tsx";
import { GoTo } from "./go-to.tsx";
import { NewVersionBanner } from "./new-version-banner.tsx";
import { OpenBanner } from "./open-banner.tsx";
import { allPlaces, type Place, places } from "./places.ts";
import { ProjectMenu } from "./project-menu.tsx";
import { QuotaBanner } from "./quota-banner.tsx";
import { RefusedBanner } from "./refused-banner.tsx";
import { type ThemeChoice, useTheme } from "./theme.ts";

/** The frame of every page of a project: the rail, the bar, and at 390 px the bar at the lower edge. */
export function Frame({ projectId }: { projectId: string }) {
  const [isGoToOpen, setGoToOpen] = useState(false);
  const isNarrow = useIsNarrow();
  const navigate = useNavigate();
  const copy = useCopy();
  useShortcuts("Everywhere", [
    { keys: "Ctrl+k", label: "Go to a page or an id", run: () => setGoToOpen(true) },
    ...allPlaces.map(({ to, label, key }) => ({
      keys: `g ${key}`,
      label,
      run: () => void navigate({ to, params: { projectId } }),
    })),
    { keys: "y", label: "Copy the link of this view", run: () => void copy(window.location.href, "Link") },
  ]);
  return (
    <div className="flex h-dvh">
      <a href="#page" className="absolute -top-20 left-2 z-50 bg-canvas p-2 focus:top-2">
        Skip to the page
      </a>
      {!isNarrow && <Rail projectId={projectId} />}
      <div className="flex min-w-0 flex-1 flex-col">
        <header className="flex h-12 shrink-0 items-center gap-2 border-b border-line px-2 md:px-4">
          <ProjectMenu />
          <div className="ml-auto flex items-center gap-1">
            <button
              type="button"
              onClick={() => setGoToOpen(true)}
              className="flex h-8 items-center gap-2 rounded-sm border border-line px-2.5 text-soft hover:bg-hover max-md:h-11 max-md:border-transparent"
            >
              <SearchIcon />
              <span className="max-md:sr-only">Go to</span>
              <kbd className="text-faint max-md:hidden">Ctrl K</kbd>
            </button>
            <ThemeMenu />
          </div>
        </header>
        <ConnectionLostBanner />
        <NewVersionBanner />
        <RefusedBanner />
        <QuotaBanner />
        <OpenBanner />
        <main id="page" className="relative flex min-h-0 min-w-0 flex-1 flex-col overflow-y-auto">
          <Outlet />
        </main>
        {isNarrow && <BottomBar projectId={projectId} />}
      </div>
      {isGoToOpen && <GoTo onClose={() => setGoToOpen(false)} />}
    </div>
  );
}

function Rail({ projectId }: { projectId: string }) {
  return (
    <nav
      aria-label="Pages"
      className="flex w-50 shrink-0 flex-col gap-3 overflow-y-auto border-r border-line bg-panel px-2 py-3"
    >
      <div className="px-2 pb-1 text-base font-semibold">Touchstone</div>
      {places.map((group) => (
        <ul key={group[0].key} className="m-0 flex list-none flex-col p-0 last:mt-auto">
          {group.map((place) => (
            <li key={place.key}>
              <RailLink place={place} projectId={projectId} />
            </li>
          ))}
        </ul>
      ))}
    </nav>
  );
}

function RailLink({ place, projectId }: { place: Place; projectId: string }) {
  const { icon: Icon } = place;
  return (
    <Link
      to={place.to}
      params={{ projectId }}
      activeOptions={{ exact: place.label === "Overview", includeSearch: false }}
      className="flex h-8 items-center gap-2.5 rounded-sm px-2 text-soft no-underline hover:bg-hover hover:text-ink aria-[current=page]:bg-hover aria-[current=page]:font-medium aria-[current=page]:text-ink"
    >
      <Icon />
      {place.label}
    </Link>
  );
}

function BottomBar({ projectId }: { projectId: string }) {
  const navigate = useNavigate();
  const slot =
    "flex h-14 flex-1 flex-col items-center justify-center gap-0.5 text-xs text-soft no-underline aria-[current=page]:text-accent";
  return (
    <nav aria-label="Pages" className="flex shrink-0 border-t border-line bg-panel">
      {allPlaces
        .filter(({ isInBar }) => isInBar)
        .map(({ to, label, key, icon: Icon }) => (
          <Link
            key={key}
            to={to}
            params={{ projectId }}
            activeOptions={{ exact: label === "Overview", includeSearch: false }}
            className={slot}
          >
            <Icon />
            {label}
          </Link>
        ))}
      <Menu
        align="end"
        trigger={
          <button type="button" className={classNames(slot, "border-0")}>
            <MoreIcon />
            More
          </button>
        }
        items={allPlaces
          .filter(({ isInBar }) => !isInBar)
          .map(({ to, label }) => ({ label, onChoose: () => void navigate({ to, params: { projectId } }) }))}
      />
    </nav>
  );
}

function ThemeMenu() {
  const [choice, choose] = useTheme();
  const names: Record<ThemeChoice, string> = { light: "Light", dark: "Dark", system: "As the system" };
  return (
    <Menu
      align="end"
      trigger={
        <IconButton label="Theme">
          <SunIcon className="size-4 dark-hidden" />
          <MoonIcon className="size-4 light-hidden" />
        </IconButton>
      }
      items={(Object.keys(names) as ThemeChoice[]).map((key) => ({
        label: names[key],
        isChosen: key === choice,
        onChoose: () => choose(key),
      }))}
    />
  );
}
