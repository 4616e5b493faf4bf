import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openPage } from "../src/open-page.ts";
import { type OwnInstallation, startOwnInstallation } from "../src/own-installation.ts";
import { inspect } from "../src/watch-page.ts";

const run = promisify(execFile);

/** More than the tests before the last one send. */
const tracesPerDay = 8;

let own: OwnInstallation;

beforeAll(async () => {
  own = await startOwnInstallation({ SERVICE_QUOTA_TRACES_PER_DAY: String(tracesPerDay) });
});

afterAll(() => own?.remove());

// The first test sees an empty project; later tests add to it.
test("an empty project shows a command, and the page changes once the command was run", async () => {
  const { page, problems, settle, close } = await openPage();
  await page.goto(own.url);
  await page.getByRole("heading", { name: "Send the first trace" }).waitFor();
  await page.getByText("Listening since").waitFor();
  await settle();
  expect(await inspect(page)).toEqual([]);

  await own.client.send("POST", "/ingest/traces", { input: "How is the weather?" });
  await page.reload();
  await page.getByRole("heading", { name: "Refused in the last 24 hours" }).waitFor();
  await page.getByText("Last answer: name: Required.").waitFor();
  expect(await inspect(page)).toEqual([]);

  const command = await page.getByRole("tabpanel").locator("pre").textContent();
  expect(command).toContain(own.apiKey);
  await run("bash", ["-c", command ?? ""]);
  await page.getByText("Send the first trace").waitFor({ state: "hidden" });
  await page.getByText("1 refused, 1 accepted").waitFor();
  await page.getByRole("link", { name: "Traces" }).first().click();
  await page.getByText("How is the weather in Paris?").first().waitFor();
  expect(problems).toEqual([]);
  await close();
});

test("the list shows a new trace without a reload, also after a server outage", async () => {
  const { page, close } = await openPage({ mayFail: () => true });
  // The stream opens only after a trace was stored that is not yet in the list.
  let open: () => void = () => undefined;
  const held = new Promise<void>((resolve) => {
    open = resolve;
  });
  await page.route("**/ingest/traces/stream?*", async (route) => {
    await held;
    await route.continue();
  });
  await page.goto(own.url);
  await page.getByRole("link", { name: "Traces" }).first().click();
  await page.getByText("How is the weather in Paris?").first().waitFor();
  await own.client.send("POST", "/ingest/traces", { name: "tail", input: "Before the restart" });
  open();
  await page.getByText("Before the restart").first().waitFor();

  await own.stop();
  await own.start();
  await own.client.send("POST", "/ingest/traces", { name: "tail", input: "While nobody listened" });
  await page.getByText("While nobody listened").first().waitFor({ timeout: 60_000 });
  await close();
});

// No trace is accepted after it.
test("an exhausted quota is shown on every page, with the time at which it ends", async () => {
  let status = 201;
  for (let sent = 0; status === 201 && sent <= tracesPerDay; sent += 1) {
    ({ status } = await own.client.send("POST", "/ingest/traces", { name: "more" }));
  }
  expect(status).toBe(429);
  const { page, close } = await openPage();
  await page.goto(own.url);
  await page.getByRole("link", { name: "Datasets" }).first().click();
  await page.getByText("A quota of today is used up until").waitFor();
  await page.getByRole("link", { name: "Usage and quotas" }).click();
  await page.getByText(`${tracesPerDay}`).first().waitFor();
  await close();
});

test("a key that was regenerated elsewhere does not interrupt an open page", async () => {
  const { page, close } = await openPage({ mayFail: (_, status) => status === 401 });
  await page.goto(own.url);
  await page.getByRole("link", { name: "Traces" }).first().click();
  await page.getByText("How is the weather in Paris?").first().waitFor();
  const { status } = await own.client.send("POST", "/agent-monitoring/settings/api-key/regenerate", {});
  expect(status).toBe(200);
  await page.getByRole("searchbox").fill("weather");
  await page.getByText("While nobody listened").waitFor({ state: "hidden" });
  await page.getByText("How is the weather in Paris?").first().waitFor();
  await close();
});
