import { expect, test } from "vitest";
import { openPage } from "../src/open-page.ts";
import { sample } from "../src/projects.ts";

test("a menu opens, selects and closes by keyboard, and returns the focus to its button", async () => {
  const { page, problems, close } = await openPage();
  const theme = page.getByRole("button", { name: "Theme" });
  const menu = page.getByRole("menu");
  const focused = (): Promise<string> =>
    page.evaluate("document.activeElement.getAttribute('aria-label') ?? document.activeElement.textContent");
  try {
    await page.goto(sample.base);
    await theme.focus();
    expect(await theme.getAttribute("aria-expanded")).toBe("false");
    await page.keyboard.press("Enter");
    await menu.waitFor();
    expect(await theme.getAttribute("aria-expanded")).toBe("true");
    await page.keyboard.press("Escape");
    await menu.waitFor({ state: "detached" });
    await expect.poll(focused).toBe("Theme");

    await page.keyboard.press("ArrowDown");
    await expect.poll(focused).toBe("Light");
    await page.keyboard.press("ArrowDown");
    await expect.poll(focused).toBe("Dark");
    await page.keyboard.press("Enter");
    await menu.waitFor({ state: "detached" });
    await expect.poll(() => page.locator("html").getAttribute("data-theme")).toBe("dark");
    await expect.poll(focused).toBe("Theme");

    await theme.click();
    await menu.waitFor();
    await page.mouse.click(400, 400);
    await menu.waitFor({ state: "detached" });
    expect(problems).toEqual([]);
  } finally {
    await close();
  }
});

test("shortcuts that were switched off are switched on again from the menu of the project", async () => {
  const { page, problems, close } = await openPage();
  const sheet = page.getByRole("dialog", { name: "Keyboard shortcuts" });
  const isOn = sheet.getByRole("checkbox", { name: "Use keyboard shortcuts in this browser" });
  const goTo = page.getByRole("dialog", { name: "Go to" });
  try {
    await page.goto(`${sample.base}/agents?tab=patterns&open=new`);
    await page.getByRole("complementary", { name: "New pattern" }).waitFor();
    await page.getByRole("heading", { level: 1 }).click();
    await page.keyboard.press("?");
    await isOn.uncheck();
    await page.reload();
    const panel = page.getByRole("complementary", { name: "New pattern" });
    await panel.waitFor();
    await page.getByRole("heading", { level: 1 }).click();
    await page.keyboard.press("?");
    await page.keyboard.press("Control+k");
    await goTo.waitFor();
    expect(await sheet.count()).toBe(0);
    await page.keyboard.press("Escape");
    await goTo.waitFor({ state: "detached" });
    await page.keyboard.press("Escape");
    await panel.waitFor({ state: "detached" });

    await page.getByRole("banner").getByRole("button").first().click();
    await page.getByRole("menuitem", { name: "Keyboard shortcuts", exact: true }).click();
    expect(await isOn.isChecked()).toBe(false);
    await isOn.check();
    await page.keyboard.press("Escape");
    await sheet.waitFor({ state: "detached" });
    await page.keyboard.press("?");
    await sheet.waitFor();
    expect(problems).toEqual([]);
  } finally {
    await close();
  }
});

test("a button shows its purpose on hover and on keyboard focus", async () => {
  const { page, problems, close } = await openPage();
  const tooltip = page.getByRole("tooltip");
  try {
    await page.goto(sample.base);
    const theme = page.getByRole("button", { name: "Theme" });
    await theme.hover();
    await expect.poll(() => tooltip.allTextContents()).toEqual(["Theme"]);
    await page.mouse.move(400, 400);
    await tooltip.waitFor({ state: "detached" });

    await page.getByRole("button", { name: "Go to" }).focus();
    await page.keyboard.press("Tab");
    await expect.poll(() => tooltip.allTextContents()).toEqual(["Theme"]);
    await page.keyboard.press("Escape");
    await tooltip.waitFor({ state: "detached" });
    expect(problems).toEqual([]);
  } finally {
    await close();
  }
});
