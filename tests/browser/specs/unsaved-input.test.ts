import { expect, test } from "vitest";
import { openPage } from "../src/open-page.ts";
import { createOwnProject } from "../src/projects.ts";

const { base } = await createOwnProject();

test("an editor asks before its input is discarded by a link, by closing the tab or by Cancel", async () => {
  const { page, problems, close } = await openPage();
  const question = page.getByRole("dialog", { name: "Leave without saving?" });
  const editor = page.getByRole("complementary", { name: "New pattern" });
  const name = editor.getByLabel("Name", { exact: true });
  const leave = question.getByRole("button", { name: "Leave", exact: true });
  const stay = question.getByRole("button", { name: "Keep editing", exact: true });
  try {
    await page.goto(`${base}/agents?tab=patterns&open=new`);
    await editor.getByRole("button", { name: "Cancel", exact: true }).click();
    await editor.waitFor({ state: "detached" });

    await page.goto(`${base}/agents?tab=patterns&open=new`);
    await name.fill("Late refunds");
    await page.getByRole("link", { name: "Traces", exact: true }).click();
    await stay.click();
    await question.waitFor({ state: "detached" });
    expect(await name.inputValue()).toBe("Late refunds");

    const asked = page.waitForEvent("dialog");
    await page.close({ runBeforeUnload: true });
    const dialog = await asked;
    expect(dialog.type()).toBe("beforeunload");
    await dialog.dismiss();
    expect(await name.inputValue()).toBe("Late refunds");

    await editor.getByRole("button", { name: "Cancel", exact: true }).click();
    await leave.click();
    await editor.waitFor({ state: "detached" });
    expect(problems).toEqual([]);
  } finally {
    await close();
  }
});

test("Ctrl+Enter saves a judge from within its form", async () => {
  const { page, problems, close } = await openPage();
  try {
    await page.goto(`${base}/judges/new`);
    await page.getByLabel("Name", { exact: true }).fill("Helpful");
    await page.getByLabel("What is rated", { exact: true }).fill("Does the answer help?");
    await page.keyboard.press("Control+Enter");
    await page.getByText("Helpful is created.").waitFor();
    expect(problems).toEqual([]);
  } finally {
    await close();
  }
});

test("a dialog asks before its input is discarded by the way back, and not after it was saved", async () => {
  const { page, problems, close } = await openPage();
  const form = page.getByRole("dialog", { name: "New prompt" });
  try {
    await page.goto(`${base}/settings/key`);
    await page.getByRole("link", { name: "Prompts", exact: true }).click();
    await page.getByRole("button", { name: "New prompt" }).first().click();
    await form.getByLabel("Name", { exact: true }).fill("greeting");
    await form.getByLabel("Text", { exact: true }).fill("Hello {{name}}");
    await page.evaluate("history.back()");
    await page.getByRole("button", { name: "Keep editing", exact: true }).click();
    expect(await form.getByLabel("Text", { exact: true }).inputValue()).toBe("Hello {{name}}");
    await form.getByRole("button", { name: "Publish", exact: true }).click();
    await page.getByRole("heading", { level: 1, name: "greeting" }).waitFor();
    expect(problems).toEqual([]);
  } finally {
    await close();
  }
});

test("a dialog asks before Escape, a click outside or its cross discards what was typed, and only then", async () => {
  const { page, problems, close } = await openPage();
  const form = page.getByRole("dialog", { name: "New dataset" });
  const name = form.getByLabel("Name", { exact: true });
  const question = page.getByRole("dialog", { name: "Leave without saving?" });
  const stay = question.getByRole("button", { name: "Keep editing", exact: true });
  const open = () => page.getByRole("button", { name: "Start empty" }).click();
  try {
    await page.goto(`${base}/datasets`);
    await open();
    await name.waitFor();
    await page.keyboard.press("Escape");
    await form.waitFor({ state: "detached" });

    await open();
    await name.fill("Late refunds");
    const ways = [
      () => page.keyboard.press("Escape"),
      () => page.mouse.click(5, 5),
      () => form.getByRole("button", { name: "Close", exact: true }).click(),
    ];
    for (const leave of ways) {
      await leave();
      await stay.click();
      await question.waitFor({ state: "detached" });
      expect(await name.inputValue()).toBe("Late refunds");
    }
    await page.keyboard.press("Escape");
    await question.waitFor();
    await page.keyboard.press("Escape");
    await question.waitFor({ state: "detached" });
    expect(await name.inputValue()).toBe("Late refunds");
    await page.keyboard.press("Escape");
    await question.getByRole("button", { name: "Leave", exact: true }).click();
    await form.waitFor({ state: "detached" });
    expect(problems).toEqual([]);
  } finally {
    await close();
  }
});
