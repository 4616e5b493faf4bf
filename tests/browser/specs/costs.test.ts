import { expect, test } from "vitest";
import { openPage } from "../src/open-page.ts";
import { createOwnProject } from "../src/projects.ts";

const { base, post } = await createOwnProject();

/** A call that used a model, below a span. */
const call = (model: string, span_id: string, parent_span_id: string) => ({
  ...{ name: `call of ${model}`, span_kind: "llm", model, span_id, parent_span_id },
  ...{ input_tokens: 1_000_000, output_tokens: 100 },
});

test("the cost of a model opens every trace that used it, also one that shows another model", async () => {
  const [first, second] = ["gpt-5.6-luna", "gpt-5.6-terra"] as const;
  await post("/ingest/traces", { name: "mixed", span_id: "root", model: first });
  await post("/ingest/traces", call(first, "one", "root"));
  await post("/ingest/traces", call(second, "two", "root"));
  await post("/ingest/traces", { name: "plain", model: second, input_tokens: 1_000_000, output_tokens: 100 });
  const { page, problems, close } = await openPage();
  try {
    const row = page.getByRole("table", { name: "Models", exact: true }).getByRole("row").filter({ hasText: second });
    await page.goto(base);
    await expect
      .poll(async () => {
        await page.reload();
        await page.getByRole("heading", { name: "Models", exact: true }).waitFor();
        return row.locator('a[href*="usedModel"]').count();
      })
      .toBe(1);
    await row.locator('a[href*="usedModel"]').click();
    await page.getByRole("heading", { level: 1, name: "Traces", exact: true }).waitFor();
    await expect.poll(() => page.locator("h1 + div").textContent()).toBe("2");
    for (const name of ["mixed", "plain"]) await page.getByRole("row").filter({ hasText: name }).waitFor();
    expect(problems).toEqual([]);
  } finally {
    await close();
  }
});
