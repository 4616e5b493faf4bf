import { expect, test } from "vitest";
import { openPage } from "../src/open-page.ts";
import { readSample, sample } from "../src/projects.ts";

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
