import { expect, test } from "vitest";
import { openPage } from "../src/open-page.ts";
import { startOwnEndpoint } from "../src/own-endpoint.ts";
import { createOwnProject, readSample, sample } from "../src/projects.ts";

test("an alert rule is tried before it is saved: the page shows which alerts it would have sent, and nothing is stored", async () => {
  const count = async (): Promise<number> => {
    const { alertRules } = (await readSample("/agent-monitoring/alert-rules")) as { alertRules: unknown[] };
    return alertRules.length;
  };
  const before = await count();
  const { page, problems, close } = await openPage();
  try {
    await page.goto(`${sample.base}/agents?tab=alerts&open=new`);
    const panel = page.getByRole("complementary");
    await panel.getByLabel("Threshold (%)").fill("0");
    await panel.getByLabel("Of at least").fill("1");
    const trial = panel.getByRole("region", { name: "Trial" });
    await trial.getByRole("button", { name: "Try it" }).click();
    await trial.getByText(/It would have alerted (once|\d+ times)/).waitFor();
    await trial.getByText(/window(s)? measured/).waitFor();
    await panel.getByLabel("Threshold (%)").fill("100");
    await trial.getByText("Changed since: try it again.").waitFor();
    await trial.getByRole("button", { name: "Try it" }).click();
    await trial.getByText("It would not have alerted").waitFor();
    expect(await count()).toBe(before);
    expect(problems).toEqual([]);
  } finally {
    await close();
  }
});

test("a pattern is tried before it is saved: the page shows which traces match, and nothing is stored", async () => {
  const { base, client, post } = await createOwnProject();
  const { traceId } = await post("/ingest/traces", { name: "refund-agent", output: "We refund you at once." });
  await post("/ingest/traces", { name: "refund-agent", output: "It is raining." });
  const findOwn = async (): Promise<unknown[]> => {
    const { body } = await client.send("GET", "/monitor/patterns");
    return (body as { patterns: { source: string }[] }).patterns.filter(({ source }) => source === "custom");
  };
  const { page, problems, close } = await openPage();
  try {
    await page.goto(`${base}/agents?tab=patterns&open=new`);
    const panel = page.getByRole("complementary");
    const text = panel.getByLabel("Text of condition 1", { exact: true });
    const trial = panel.getByRole("region", { name: "Trial", exact: true });
    await text.fill("refund");
    await trial.getByRole("button", { name: "Try it", exact: true }).click();
    await trial.getByText("1 of 2 traces match").waitFor();
    expect(await trial.getByRole("link").getAttribute("href")).toContain(String(traceId));
    await text.fill("snowing");
    await trial.getByText("Changed since: try it again.").waitFor();
    await trial.getByRole("button", { name: "Try it", exact: true }).click();
    await trial.getByText("0 of 2 traces match").waitFor();
    expect(await findOwn()).toEqual([]);
    await panel.getByLabel("Name", { exact: true }).fill("Snow");
    await panel.getByRole("button", { name: "Create the pattern", exact: true }).click();
    await page.getByText("The pattern Snow is saved.", { exact: true }).waitFor();
    expect(await findOwn()).toMatchObject([{ name: "Snow", conditions: [{ value: "snowing" }] }]);
    expect(problems).toEqual([]);
  } finally {
    await close();
  }
});

/** A toast with Undo closes after ten seconds, within which a busy machine may not get to its button. */
const lastingToasts = `
  const start = window.setTimeout;
  window.setTimeout = (run, ms, ...rest) => start(run, ms === 10_000 ? 600_000 : ms, ...rest);
`;

test("Undo of a built-in pattern's switch acts on that pattern, even if another is open by then", async () => {
  const { base, client } = await createOwnProject();
  const read = async () => {
    const { body } = await client.send("GET", "/monitor/patterns");
    const { patterns } = body as {
      patterns: { _id: string; key: string; name: string; source: string; enabled: boolean }[];
    };
    return patterns.filter(({ source }) => source === "builtIn");
  };
  const [first, second] = await read();
  if (first === undefined || second === undefined) throw new Error("There have to be two built-in patterns.");
  const enabledBuiltinPatterns = [first.key, second.key];
  await client.send("PUT", "/agent-monitoring/settings/monitoring-defaults", { enabledBuiltinPatterns });
  const { page, context, problems, close } = await openPage();
  const panel = page.getByRole("complementary");
  try {
    await context.addInitScript(lastingToasts);
    await page.goto(`${base}/agents?tab=patterns&open=${first._id}`);
    await panel.getByRole("heading", { name: first.name, exact: true }).waitFor();
    await panel.getByRole("button", { name: "Switch it off", exact: true }).click();
    await page.getByText(`${first.name} is off.`, { exact: true }).waitFor();
    const other = page.getByRole("row").filter({ has: page.getByText(second.name, { exact: true }) });
    await other.click();
    await panel.getByRole("heading", { name: second.name, exact: true }).waitFor();
    await page.getByRole("button", { name: "Undo", exact: true }).click();
    await page.getByText(`${first.name} is on.`, { exact: true }).waitFor();
    const after = new Map((await read()).map(({ _id, enabled }) => [_id, enabled]));
    expect([after.get(first._id), after.get(second._id)]).toEqual([true, true]);
    expect(problems).toEqual([]);
  } finally {
    await close();
  }
});

test("the form of how an agent is watched sends only what its user changed, and shows what others change", async () => {
  const { base, client, post } = await createOwnProject();
  const { agent } = (await post("/agents", { name: "refund-agent" })) as { agent: { _id: string } };
  const { page, problems, close } = await openPage();
  try {
    await page.goto(`${base}/agents/${agent._id}?tab=watching`);
    const isWatched = page.getByRole("checkbox", { name: "Watch this agent", exact: true });
    const channels = page.getByRole("textbox", { name: "Channels", exact: true });
    await channels.fill("webhook:https://a.example");
    await client.send("PUT", `/monitor/profiles/${agent._id}`, { enabled: false });
    // By its clock the page is old enough to read again when its window is focused.
    await page.clock.setFixedTime(Date.now() + 60_000);
    await page.evaluate("window.dispatchEvent(new Event('visibilitychange'))");
    await expect.poll(() => isWatched.isChecked()).toBe(false);
    expect(await channels.inputValue()).toBe("webhook:https://a.example");
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await page.getByText("How refund-agent is watched is saved.").waitFor();
    const { body } = await client.send("GET", `/monitor/profiles/${agent._id}`);
    expect(body).toMatchObject({ profile: { enabled: false, channels: ["webhook:https://a.example"] } });
    expect(problems).toEqual([]);
  } finally {
    await close();
  }
});

test("a renewed secret stays visible, and what was typed stays, when the list of webhooks is read again meanwhile", async () => {
  const { base, client, post } = await createOwnProject();
  const sent = { url: "https://receiver.example/hook", events: ["signal.new"], minSeverity: "low" };
  const { webhook } = (await post("/agent-monitoring/webhooks", sent)) as { webhook: { _id: string } };
  const { page, problems, close } = await openPage();
  try {
    await page.goto(`${base}/agents?tab=webhooks&open=${webhook._id}`);
    const panel = page.getByRole("complementary");
    const description = panel.getByRole("textbox", { name: "Description", exact: true });
    await description.fill("Typed before");
    await panel.getByRole("button", { name: "Renew the secret", exact: true }).click();
    await page.getByRole("button", { name: "Renew 1 secret", exact: true }).click();
    const dialog = page.getByRole("dialog", { name: "The secret of the webhook", exact: true });
    const secret = await dialog.locator("code").textContent();
    await client.send("PUT", `/agent-monitoring/webhooks/${webhook._id}`, { minSeverity: "high" });
    // By its clock the page is old enough to read again each time its window is focused. A read may have begun before.
    let now = Date.now();
    const readAgain = async (): Promise<number> => {
      now += 60_000;
      await page.clock.setFixedTime(now);
      await page.evaluate("window.dispatchEvent(new Event('visibilitychange'))");
      return page.getByText("from high", { exact: true }).count();
    };
    await expect.poll(readAgain).toBe(1);
    expect(await dialog.locator("code").textContent()).toBe(secret);
    await dialog.getByRole("button", { name: "I have stored it", exact: true }).click();
    await dialog.waitFor({ state: "detached" });
    expect(await description.inputValue()).toBe("Typed before");
    await panel.getByRole("button", { name: "Save", exact: true }).click();
    await page.getByText("The webhook is saved.", { exact: true }).waitFor();
    const { body } = await client.send("GET", "/agent-monitoring/webhooks");
    expect(body).toMatchObject({ webhooks: [{ description: "Typed before", minSeverity: "high" }] });
    expect(problems).toEqual([]);
  } finally {
    await close();
  }
});

test("a message that its receiver refused is sent again under the same id, and the list shows that it arrived", async () => {
  const { base, post } = await createOwnProject();
  let status = 500;
  const receiver = await startOwnEndpoint(() => ({ status, body: {} }));
  const sent = { url: receiver.url, events: ["signal.new"], minSeverity: "low" };
  const { webhook } = (await post("/agent-monitoring/webhooks", sent)) as { webhook: { _id: string } };
  const { page, problems, close } = await openPage();
  try {
    await page.goto(`${base}/agents?tab=webhooks&open=${webhook._id}`);
    await page.getByRole("button", { name: "Send a test", exact: true }).click();
    await page.getByText("the receiver answered 500").waitFor();
    status = 200;
    await page.getByRole("link", { name: "What was sent to it", exact: true }).click();
    await page.getByRole("row").filter({ hasText: "This is a test of the webhook." }).click();
    const panel = page.getByRole("complementary");
    await panel.getByText("given up", { exact: true }).waitFor();
    await panel.getByRole("button", { name: "Send again", exact: true }).click();
    await page.getByText("The message is sent again.", { exact: true }).waitFor();
    await panel.getByText("delivered", { exact: true }).waitFor();
    const ids = receiver.received.map((headers) => headers["webhook-id"]);
    expect(ids).toEqual([expect.any(String), ids[0]]);
    expect(problems).toEqual([]);
  } finally {
    await close();
    await receiver.stop();
  }
});
