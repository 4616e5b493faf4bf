import { expect, test } from "vitest";
import { openPage } from "../src/open-page.ts";
import { readSample, sample } from "../src/projects.ts";

const prompts = "/custom-agent-evaluations/prompts";

test("what a test would write into the sample project is refused, and is a problem of its page", async () => {
  const before = await readSample(prompts);
  const { page, problems, close } = await openPage();
  try {
    await page.goto(`${sample.base}/prompts/${sample.promptId}`);
    await page.getByRole("button", { name: "New version" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Messages").fill('[{"role": "system", "content": "Written by a test."}]');
    await dialog.getByRole("button", { name: "Publish" }).click();
    await dialog.getByRole("alert").first().waitFor();
    expect(problems).toEqual([
      expect.stringContaining(
        `The sample project is read only; POST /api/v1${prompts} needs a project of the test's own.`,
      ),
    ]);
    expect(await readSample(prompts)).toEqual(before);
  } finally {
    await close();
  }
});
