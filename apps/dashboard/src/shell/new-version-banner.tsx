import { Button } from "../ui/button.tsx";
import { useHasMissingFile } from "../ui/missing-file.ts";
import { Banner } from "./banner.tsx";

/**
 * Shown after a part of the page, such as a menu, could not be loaded because the server was upgraded while this tab was open. The
 * page stays usable, so that the user can save what was typed before the reload.
 */
export function NewVersionBanner() {
  if (!useHasMissingFile()) return null;
  return (
    <Banner>
      <span className="flex-1 basis-64">
        A new version is here. The server was upgraded while this tab was open, and a part of this page could not be
        loaded. Save or copy what you typed, then reload.
      </span>
      <Button onClick={() => window.location.reload()}>Reload</Button>
    </Banner>
  );
}
