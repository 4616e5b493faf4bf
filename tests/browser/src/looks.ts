import { mkdir } from "node:fs/promises";
import path from "node:path";
import { inspect, type OpenedPage } from "./watch-page.ts";

const screens = path.resolve(import.meta.dirname, "../../../.cache/screens");
const isCi = process.env.CI === "true";

/** In CI the two that have nothing in common: both themes and both widths. Elsewhere all four, and their pictures are kept. */
const looks = [
  { width: 1440, theme: "light", isSeenInCi: true },
  { width: 1440, theme: "dark", isSeenInCi: false },
  { width: 390, theme: "dark", isSeenInCi: true },
  { width: 390, theme: "light", isSeenInCi: false },
].filter(({ isSeenInCi }) => isSeenInCi || !isCi) as readonly { width: number; theme: "light" | "dark" }[];

/** The problems that a page in the state it is in has in both themes, wide and narrow. The page is not loaded again. */
async function inspectLooks({ page, settle }: OpenedPage, name: string): Promise<string[]> {
  const problems: string[] = [];
  if (!isCi) await mkdir(screens, { recursive: true });
  for (const { width, theme } of looks) {
    await page.setViewportSize({ width, height: 900 });
    await page.emulateMedia({ colorScheme: theme });
    await settle();
    if (!isCi) await page.screenshot({ path: path.join(screens, `${name}-${theme}-${width}.png`) });
    problems.push(...(await inspect(page)).map((line) => `${name}, ${theme}, ${width} px: ${line}`));
  }
  await page.setViewportSize({ width: 1440, height: 900 });
  return problems;
}

/** Opens an address and inspects all looks of the page, then those of the tabs after its open one, each opened by a click. */
export async function inspectPage(opened: OpenedPage, name: string, address: string): Promise<string[]> {
  const { page, settle } = opened;
  await page.goto(address);
  const problems = await inspectLooks(opened, name);
  const next = page.locator("main [role='tablist']").first().locator("[aria-selected='true'] + [role='tab']");
  while ((await next.count()) > 0) {
    const key = await next.getAttribute("data-key");
    await next.click();
    await page.locator(`main [data-key='${key}'][aria-selected='true']`).waitFor();
    await settle();
    problems.push(...(await inspectLooks(opened, `${name}-${key}`)));
  }
  return problems;
}
