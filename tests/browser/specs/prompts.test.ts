import { randomBytes } from "node:crypto";
import { expect, test } from "vitest";
import { openPage } from "../src/open-page.ts";
import { createOwnProject, type OwnProject, sample } from "../src/projects.ts";

test("a prompt is published, changed, compared with its first version, and gets the label that programs read", async () => {
  const { base, client } = await createOwnProject();
  const { page, problems, close } = await openPage();
  try {
    await page.goto(`${base}/prompts`);
    await page.getByRole("button", { name: "New prompt" }).first().waitFor();
    await page.keyboard.press("c");
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Name").fill("greeting of guests");
    await dialog.getByLabel("Text", { exact: true }).fill("Hello {{name}}");
    await dialog.getByRole("button", { name: "Publish" }).click();
    await page.getByRole("heading", { name: "Version 1" }).waitFor();
    await page.getByText("Hello {{name}}").first().waitFor();

    await page.getByRole("button", { name: "New version" }).click();
    await dialog.getByLabel("Text", { exact: true }).fill("Hi {{name}}");
    await dialog.getByLabel("What changed").fill("Shorter");
    await dialog.getByRole("button", { name: "Publish" }).click();
    await page.getByRole("heading", { name: "Version 2" }).waitFor();
    await page.getByText("Shorter").waitFor();
    await page.getByRole("button", { name: "What changed from version 1" }).click();
    await page.locator("del", { hasText: "Hello" }).waitFor();
    await page.locator("ins", { hasText: "Hi" }).waitFor();

    await page.getByLabel("Version").selectOption("1");
    await page.getByRole("heading", { name: "Version 1" }).waitFor();
    await page.getByRole("button", { name: "Move labels here" }).click();
    await dialog.getByRole("button", { name: "Move" }).click();
    await dialog.waitFor({ state: "detached" });
    await page.getByText("production", { exact: true }).waitFor();

    const path = "/custom-agent-evaluations/prompts/greeting%20of%20guests?label=production";
    expect((await client.send("GET", path)).body).toMatchObject({ version: 1, text: "Hello {{name}}" });
    expect(problems).toEqual([]);
  } finally {
    await close();
  }
});

test("messages that are no list are named before anything is sent", async () => {
  const { page, problems, close } = await openPage();
  try {
    await page.goto(`${sample.base}/prompts/${sample.promptId}`);
    await page.getByRole("button", { name: "New version" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Messages").fill('{"role": "system"}');
    await dialog.getByText("Write a list of messages, each with a role and a content.").waitFor();
    expect(await dialog.getByRole("button", { name: "Publish" }).isDisabled()).toBe(true);
    await dialog.getByLabel("Messages").fill("[{");
    await dialog.getByText("This is not JSON.").waitFor();
    expect(problems).toEqual([]);
  } finally {
    await close();
  }
});

/**
 * Sends traces of an agent with a call that states a version of a prompt, or the prompt alone; `fails` of them end in
 * an error.
 */
async function sendTraces(own: OwnProject, version: string | null, { count, fails }: { count: number; fails: number }) {
  const startMs = Date.now() - 60_000;
  const span = (traceId: string, spanId: string, attributes: Record<string, string>, more: object) => ({
    ...{ traceId, spanId, name: "helper", ...more },
    startTimeUnixNano: `${startMs}000000`,
    endTimeUnixNano: `${startMs + 900}000000`,
    attributes: Object.entries(attributes).map(([key, stringValue]) => ({ key, value: { stringValue } })),
  });
  const spans = Array.from({ length: count }, (_, index) => {
    const traceId = randomBytes(16).toString("hex");
    const call = {
      "gen_ai.operation.name": "chat",
      "gen_ai.request.model": "gpt-4o-mini",
      "gen_ai.usage.input_tokens": "1200",
      "gen_ai.usage.output_tokens": "300",
      "gen_ai.prompt.name": "helper",
      ...(version !== null && { "gen_ai.prompt.version": version }),
    };
    return [
      span(traceId, "aaaaaaaaaaaaaaaa", { "gen_ai.operation.name": "invoke_agent" }, index < fails ? failed : {}),
      span(traceId, "bbbbbbbbbbbbbbbb", call, { parentSpanId: "aaaaaaaaaaaaaaaa" }),
    ];
  }).flat();
  await own.post("/otel/v1/traces", { resourceSpans: [{ scopeSpans: [{ spans }] }] });
}

const failed = { status: { code: 2, message: "Timeout" } };

test("the versions of a prompt are compared by their traces, and a number opens the traces that it counts", async () => {
  const own = await createOwnProject();
  const { _id: promptId } = await own.post("/custom-agent-evaluations/prompts", { name: "helper", text: "Help." });
  await own.post("/custom-agent-evaluations/prompts", { name: "helper", text: "Help politely." });
  const { page, problems, close } = await openPage();
  try {
    await page.goto(`${own.base}/prompts/${promptId}`);
    await page.getByText("None. A span names its prompt").waitFor();
    await sendTraces(own, "2", { count: 3, fails: 0 });
    await sendTraces(own, "1", { count: 5, fails: 2 });
    await sendTraces(own, null, { count: 4, fails: 1 });
    await page.reload();
    const versions = page.getByRole("table", { name: "Versions in use" });
    const row = (version: string) => versions.getByRole("row", { name: new RegExp(`^${version} `) });
    await row("2").waitFor();
    expect(await versions.locator("td:first-child").allTextContents()).toEqual(["2", "1", "no version named"]);
    const cells = (version: string) => row(version).getByRole("cell").allTextContents();
    const [unrated, cost] = [expect.stringContaining("not rated"), expect.stringMatching(/^\$0\.0003\d*$/)];
    expect(await cells("2")).toEqual(["2", "3", "0 (0.0%)", unrated, cost]);
    expect(await cells("1")).toEqual(["1", "5", "2 (40.0%)", unrated, cost]);
    expect(await cells("no version named")).toEqual(["no version named", "4", "1 (25.0%)", unrated, cost]);
    // The list has no filter for traces that state no version.
    expect(await row("no version named").getByRole("link").count()).toBe(0);
    await row("1").getByRole("link", { name: "5", exact: true }).click();
    await page.getByRole("heading", { level: 1, name: "Traces" }).waitFor();
    await page.getByText("Prompt helper, version 1").first().waitFor();
    const rows = page.getByRole("table", { name: "Traces" }).getByRole("row");
    await expect.poll(() => rows.count()).toBe(6);
    await page.goBack();
    await row("1").getByRole("link", { name: "2", exact: true }).click();
    await expect.poll(() => rows.count()).toBe(3);
    await page.goBack();
    await row("1").getByRole("link", { name: /^\$/ }).click();
    await expect.poll(() => rows.count()).toBe(6);
    expect(problems).toEqual([]);
  } finally {
    await close();
  }
});
