import "./styles.css";
import { CSPProvider } from "@base-ui/react/csp-provider";
import { QueryClientProvider } from "@tanstack/react-query";
import { CatchBoundary, RouterProvider } from "@tanstack/react-router";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { beginReads } from "./api/ahead.ts";
import { router } from "./routes.ts";
import { connectionQuery } from "./shell/session.tsx";
import { Shortcuts } from "./ui/shortcuts.tsx";
import { ToastRegion } from "./ui/toasts.tsx";
import { Tooltips } from "./ui/tooltip.tsx";

const root = document.querySelector("#root");
if (root === null) throw new Error("index.html has no #root");

const { queries } = router.options.context;
// The identity of this browser and the page's script load in parallel; the frame of index.html stays until the script is here.
if (beginReads(window.location.pathname)) void queries.prefetchQuery(connectionQuery);
// No top-level await: pages import parts of this script, and each would become a separate file.
void router.load().then(() =>
  createRoot(root).render(
    <StrictMode>
      <CSPProvider disableStyleElements>
        <QueryClientProvider client={queries}>
          <ToastRegion>
            <Shortcuts>
              <RouterProvider router={router} />
            </Shortcuts>
          </ToastRegion>
          {/* No boundary of a page catches an error in a tooltip; without this one React would unmount the page. */}
          <CatchBoundary getResetKey={() => ""} errorComponent={() => null}>
            <Tooltips />
          </CatchBoundary>
        </QueryClientProvider>
      </CSPProvider>
    </StrictMode>,
  ),
);
// Preloaded, so that keys typed after Ctrl K go into the dialog.
setTimeout(() => void import("./ui/dialog-popup.tsx").catch(() => undefined), 2_000);
