import { expect, test } from "vitest";
import { linksOf } from "../src/webhooks/public-address.ts";

const url = "https://touchstone.example.com";
const signal = { projectId: "p", signalId: "s" };

test("links lead to pages where there is a dashboard", () => {
  const address = { url, hasDashboard: true };
  expect(linksOf(signal, address)).toEqual({
    baseUrl: url,
    link: `${url}/p/p/inbox?open=s`,
    apiLink: `${url}/api/v1/monitor/signals/s`,
  });
  expect(linksOf({ projectId: "p", signalId: null, runId: "r" }, address)).toEqual({
    baseUrl: url,
    link: `${url}/p/p/runs/r`,
  });
});

test("without a dashboard they lead to the API, and without a public address there are none", () => {
  const apiLink = `${url}/api/v1/monitor/signals/s`;
  expect(linksOf(signal, { url, hasDashboard: false })).toEqual({ baseUrl: url, link: apiLink, apiLink });
  expect(linksOf({ projectId: "p", signalId: null, runId: "r" }, { url, hasDashboard: false })).toEqual({
    baseUrl: url,
  });
  expect(linksOf(signal, null)).toEqual({});
});
