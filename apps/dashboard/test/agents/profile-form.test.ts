import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { createElement } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { afterEach, expect, test, vi } from "vitest";
import { ProfileForm } from "../../src/agents/profile-form.tsx";
import type { Agent } from "../../src/blocks/watching-queries.ts";
import { connectionQuery, ProjectGate } from "../../src/shell/session.tsx";
import { ToastRegion } from "../../src/ui/toasts.tsx";

afterEach(() => vi.unstubAllGlobals());

test("the form of how an agent is watched takes a percentage with a fraction", () => {
  vi.stubGlobal("window", { location: { origin: "http://touchstone.test" } });
  const queries = new QueryClient();
  queries.setQueryData(connectionQuery.queryKey, {
    state: "ready",
    config: { mode: "disabled" },
    projects: [{ _id: "p", name: "Shop" }],
    user: null,
  } as never);
  const agent = { _id: "a", name: "refund-agent", monitoringProfile: { coverageMode: "sampled", sampleRate: 0.125 } };
  const form = createElement(ProfileForm, { agent: agent as Agent });
  const page = createElement(ToastRegion, null, createElement(ProjectGate, { projectId: "p", children: form }));
  const shown = renderToStaticMarkup(createElement(QueryClientProvider, { client: queries }, page));
  // Without a step, browsers refuse to submit fractions.
  expect(shown.match(/<input[^>]*type="number"[^>]*>/)?.[0]).toMatch(/(?=.*value="12\.5")(?=.*step="any")/);
});
