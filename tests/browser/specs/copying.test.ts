import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { openPage } from "../src/open-page.ts";
import { createOwnProject, sample } from "../src/projects.ts";

/** Opens a page in a browser that has no clipboard API, as over plain HTTP beyond loopback. */
async function withoutClipboard(look: (page: Page) => Promise<void>): Promise<void> {
  const { page, context, problems, close } = await openPage();
  try {
    await context.addInitScript(() => Object.defineProperty(navigator, "clipboard", { value: undefined }));
    await look(page);
    expect(problems).toEqual([]);
  } finally {
    await close();
  }
}

/** What a paste inserts into the field of the dialog that opens with Ctrl K. */
async function paste(page: Page): Promise<string> {
  await page.keyboard.press("Control+k");
  const field = page.getByRole("dialog", { name: "Go to" }).locator("input");
  await field.focus();
  await page.keyboard.press("Control+v");
  return field.inputValue();
}

test("without the clipboard API, a key and a menu copy and confirm it", () =>
  withoutClipboard(async (page) => {
    await page.goto(`${sample.base}/runs/${sample.runIds[0]}`);
    await page.getByRole("table", { name: "Cases" }).waitFor();
    await page.keyboard.press("y");
    await page.getByText("Link copied.").waitFor();

    await page.getByRole("main").getByRole("button", { name: "More", exact: true }).click();
    await page.getByRole("menuitem", { name: "Copy the run's id", exact: true }).click();
    await page.getByText("Id copied.").waitFor();
    expect(await paste(page)).toBe(sample.runIds[0]);
  }));

test("without the clipboard API, the button of a dialog copies", async () => {
  const { base } = await createOwnProject();
  await withoutClipboard(async (page) => {
    await page.goto(`${base}/settings/key`);
    await page.getByRole("button", { name: "Replace the key", exact: true }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Replace the key", exact: true }).click();
    const shown = page.getByRole("dialog", { name: "The new key" });
    const key = (await shown.locator("code").textContent()) ?? "";
    await shown.getByRole("button", { name: "Copy", exact: true }).click();
    await shown.getByRole("button", { name: "Copied", exact: true }).waitFor();
    await shown.getByRole("button", { name: "Done", exact: true }).click();
    expect(key).not.toBe("");
    expect(await paste(page)).toBe(key);
  });
});

test("a browser that refuses to copy is reported, with the text", () =>
  withoutClipboard(async (page) => {
    await page.goto(`${sample.base}/runs/${sample.runIds[0]}`);
    await page.getByRole("table", { name: "Cases" }).waitFor();
    await page.evaluate("document.execCommand = () => false");
    await page.keyboard.press("y");
    await page.getByText(`This browser does not let pages copy: ${page.url()}`).first().waitFor();

    await page.goto(`${sample.base}/settings/key`);
    await page.getByRole("button", { name: "Copy", exact: true }).waitFor();
    await page.evaluate("document.execCommand = () => false");
    await page.getByRole("button", { name: "Copy", exact: true }).click();
    await page.getByText("This browser does not let pages copy. Select the text").first().waitFor();
  }));
