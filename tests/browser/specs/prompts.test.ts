import { expect, test } from "vitest";
import { openPage } from "../src/open-page.ts";
import { createOwnProject } from "../src/own-project.ts";
import { sample } from "../src/sample.ts";

test("a prompt is published, changed, compared with its first version, and gets the label that programs read", async () => {
  const { base, client } = await createOwnProject("Prompts");
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
