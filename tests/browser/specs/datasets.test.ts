import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { openPage } from "../src/open-page.ts";
import { createOwnProject } from "../src/projects.ts";

const { base, client } = await createOwnProject();
const route = "/custom-agent-evaluations/datasets";

interface Stored {
  _id: string;
  name: string;
  version: number;
  questions: { main_question: { query: string; expectedResults?: string }; tags?: string[] }[];
}

interface Visit {
  page: Page;
  dataset: Stored;
  read(): Promise<Stored>;
  /** Another user's concurrent changes. */
  put(index: number, query: string, expectedResults: string): Promise<void>;
}

/** Opens a dataset of three cases that no other test uses. */
async function withDataset(
  address: string,
  look: (visit: Visit) => Promise<void>,
  expectedResults = "Yes.",
): Promise<void> {
  const questions = ["May I return it?", "Where is it?", "Is it blue?"].map((query) => ({
    main_question: { query, expectedResults },
  }));
  const { body } = await client.send("POST", route, { name: `Edited ${address}`, questions });
  const dataset = body as unknown as Stored;
  const read = async () => (await client.send("GET", `${route}/${dataset._id}`)).body as unknown as Stored;
  const put: Visit["put"] = async (index, query, expectedResults) => {
    const { version } = await read();
    const question = { main_question: { query, expectedResults } };
    const { status } = await client.send("PUT", `${route}/${dataset._id}/cases/${index}?version=${version}`, question);
    expect(status).toBe(200);
  };
  // The conflict response is part of the tests.
  const { page, problems, close } = await openPage({ mayFail: (_url, status) => status === 409 });
  try {
    await page.goto(`${base}/datasets/${dataset._id}${address}`);
    await look({ page, dataset, read, put });
    expect(problems).toEqual([]);
  } finally {
    await close();
    await client.send("DELETE", `${route}/${dataset._id}`);
  }
}

const field = (page: Page, label: string) => page.getByRole("textbox", { name: label, exact: true });
const press = (page: Page, name: string) => page.getByRole("button", { name, exact: true }).click();

test("a case is opened, edited and saved", () =>
  withDataset("?case=1", async ({ page, read }) => {
    await page.getByRole("heading", { name: "Case 1" }).waitFor();
    await page.keyboard.press("e");
    await field(page, "Expected answer").fill("In the post.");
    await field(page, "Tags").fill("parcel, late");
    await press(page, "Save");
    await page.getByText("Case 1 is saved.").waitFor();
    await page.getByRole("complementary").getByText("In the post.").waitFor();
    expect((await read()).questions[1]).toEqual({
      main_question: { query: "Where is it?", expectedResults: "In the post." },
      tags: ["parcel", "late"],
    });
  }));

test("a case is added after a case that another user adds meanwhile", () =>
  withDataset("", async ({ page, dataset, read }) => {
    await page.getByRole("row").nth(3).waitFor();
    await page.keyboard.press("n");
    await field(page, "Question").fill("Is it red?");
    const question = { main_question: { query: "Is it green?" } };
    await client.send("PUT", `${route}/${dataset._id}/cases/3?version=${dataset.version}`, question);
    await press(page, "Add the case");
    await page.getByText("Case 4 is added.").waitFor();
    const { questions } = await read();
    expect(questions.slice(3).map(({ main_question }) => main_question.query)).toEqual(["Is it green?", "Is it red?"]);
  }));

test("when another user changed the same text of a case, both texts are shown and one is chosen", () =>
  withDataset("?case=0&edit=case", async ({ page, read, put }) => {
    await field(page, "Expected answer").fill("Within 30 days.");
    await put(0, "May I return it?", "Never.");
    await press(page, "Save");
    const conflict = page.getByRole("region", { name: "Conflict" });
    await conflict.getByText("Never.", { exact: true }).first().waitFor();
    expect(await conflict.textContent()).toContain("Within 30 days.");
    expect((await read()).questions[0]?.main_question.expectedResults).toBe("Never.");
    await press(page, "Keep yours");
    await press(page, "Save");
    await page.getByText("Case 0 is saved.").waitFor();
    expect((await read()).questions[0]?.main_question.expectedResults).toBe("Within 30 days.");
  }));

test("two users' changes to different parts of a case are merged", () =>
  withDataset("?case=0&edit=case", async ({ page, read, put }) => {
    await field(page, "Expected answer").fill("Within 30 days.");
    await put(0, "Can I return it?", "Yes.");
    await press(page, "Save");
    await press(page, "Continue with both");
    await press(page, "Save");
    await page.getByText("Case 0 is saved.").waitFor();
    expect((await read()).questions[0]?.main_question).toEqual({
      query: "Can I return it?",
      expectedResults: "Within 30 days.",
    });
  }));

test("a case that moved is saved at its current position", () =>
  withDataset("?case=2&edit=case", async ({ page, dataset, read }) => {
    await field(page, "Question").fill("Is it navy?");
    await client.send("DELETE", `${route}/${dataset._id}/cases/0?version=${dataset.version}`);
    await press(page, "Save");
    await page.getByText("Case 1 is saved.").waitFor();
    expect((await read()).questions.map(({ main_question }) => main_question.query)).toEqual([
      "Where is it?",
      "Is it navy?",
    ]);
  }));

test("unsaved text is not lost: leaving asks for confirmation, and the text is restored on the next visit", () =>
  withDataset("?case=2&edit=case", async ({ page, dataset }) => {
    await field(page, "Question").fill("Is it navy?");
    await press(page, "Close the panel");
    const dialog = page.getByRole("dialog", { name: "Leave without saving?" });
    await dialog.getByRole("button", { name: "Keep editing" }).click();
    expect(await field(page, "Question").inputValue()).toBe("Is it navy?");
    await press(page, "Cancel");
    await dialog.getByRole("button", { name: "Leave" }).click();
    await page.getByRole("heading", { name: "Case 2", exact: true }).waitFor();
    await page.goto(`${base}/datasets/${dataset._id}?case=2&edit=case`);
    await page.getByText("This is your draft from an earlier visit.").waitFor();
    expect(await field(page, "Question").inputValue()).toBe("Is it navy?");
    await press(page, "Discard changes");
    expect(await field(page, "Question").inputValue()).toBe("Is it blue?");
  }));

test("a case is deleted after a confirmation that names it", () =>
  withDataset("?case=1", async ({ page, read }) => {
    await press(page, "Delete the case");
    const dialog = page.getByRole("dialog", { name: "Delete case 1?" });
    await dialog.getByText("Where is it?").waitFor();
    await dialog.getByRole("button", { name: "Delete 1 case" }).click();
    await page.getByText("Case 1 is deleted.").waitFor();
    expect((await read()).questions.map(({ main_question }) => main_question.query)).toEqual([
      "May I return it?",
      "Is it blue?",
    ]);
  }));

test("settings are edited in place; cases that another user adds meanwhile stay", () =>
  withDataset("?tab=settings", async ({ page, dataset, read }) => {
    await press(page, "Edit");
    await field(page, "Name").fill("Edited settings");
    await field(page, "Cases that have to pass (%)").fill("95");
    await page.getByRole("checkbox", { name: "ROUGE" }).check();
    const question = { main_question: { query: "Is it green?" } };
    await client.send("PUT", `${route}/${dataset._id}/cases/3?version=${dataset.version}`, question);
    await press(page, "Save");
    await page.getByText("The settings are saved.").waitFor();
    await page.getByRole("heading", { level: 1, name: "Edited settings" }).waitFor();
    const stored = await read();
    expect(stored).toMatchObject({ rougeScore: { enabled: true }, ci: { passRateThreshold: 0.95 } });
    expect(stored.questions).toHaveLength(4);
  }));

test("an import into a dataset is shown before it is stored: what is new, changed, equal and refused", () =>
  withDataset("", async ({ page, read }) => {
    await press(page, "Import");
    const dialog = page.getByRole("dialog", { name: /^Import cases into/ });
    const rows =
      "query,expected_results\nmay I return it?,Within 30 days.\nWhere is it?,Yes.\nIs it red?,\n ,Nothing\n";
    await dialog.getByRole("textbox", { name: "Rows" }).fill(rows);
    await press(page, "Check the rows");
    const changes = dialog.getByRole("region", { name: "What would change" });
    await changes.getByText("1 new").waitFor();
    for (const told of ["1 changed", "1 equal", "1 row refused", "4 cases afterwards", "query is required"]) {
      expect(await changes.textContent()).toContain(told);
    }
    expect((await read()).version).toBe(1);
    await dialog.getByRole("button", { name: "Import" }).click();
    await page.getByText("1 case added, 1 changed.").waitFor();
    expect((await read()).questions.map(({ main_question }) => main_question.query)).toEqual([
      "may I return it?",
      "Where is it?",
      "Is it blue?",
      "Is it red?",
    ]);
  }));

test("an import that replaces cases shows what it deletes, and is refused once the dataset changed", () =>
  withDataset("", async ({ page, read, put }) => {
    await press(page, "Import");
    const dialog = page.getByRole("dialog", { name: /^Import cases into/ });
    await dialog.getByRole("combobox", { name: "What the rows do" }).selectOption("replace");
    await dialog.getByRole("textbox", { name: "Rows" }).fill("query\nIs it red?\n");
    await press(page, "Check the rows");
    await dialog.getByText("3 removed").waitFor();
    await put(0, "May I return it?", "Never.");
    await press(page, "Replace the cases");
    await dialog.getByText("The dataset changed since it was read").waitFor();
    await press(page, "Check the rows");
    await dialog.getByText("3 removed").waitFor();
    await press(page, "Replace the cases");
    await page.getByText("1 case added, 3 removed.").waitFor();
    expect((await read()).questions).toHaveLength(1);
  }));

test("versions beyond the first page are not taken for missing, and are shown on request", () =>
  withDataset(
    "?tab=versions",
    async ({ page, dataset, put }) => {
      const versions = page.getByRole("navigation", { name: "Versions", exact: true });
      const version = (number: number) => versions.getByRole("link", { name: `Version ${number} ` });
      await page.getByText("The first version, with 3 cases.", { exact: true }).waitFor();
      expect(await page.getByRole("button", { name: "Show earlier versions" }).count()).toBe(0);
      await put(0, "May I return it?", "Never.");
      await put(0, "May I return it?", "Within 30 days.");

      // A page of versions has at most 8 MiB: the two newest ones have 7, and the first one has more than 5.
      await page.goto(`${base}/datasets/${dataset._id}?tab=versions&version=2`);
      await page.getByText("Version 2 is the earliest one shown, with 3 cases.").waitFor();
      expect(await version(1).count()).toBe(0);
      await page.goto(`${base}/datasets/${dataset._id}?tab=versions&version=1`);
      await page.getByText("Version 1 is not shown yet.").waitFor();
      await press(page, "Show earlier versions");
      await page.getByText("The first version, with 3 cases.", { exact: true }).waitFor();
      expect(await page.getByRole("button", { name: "Show earlier versions" }).count()).toBe(0);
      await version(2).click();
      await page.getByRole("heading", { name: "Version 2 against", exact: true }).waitFor();
      await page.goto(`${base}/datasets/${dataset._id}?tab=versions&version=9`);
      await page.getByText("There is no version 9.", { exact: true }).waitFor();
    },
    "Yes. ".repeat(360_000),
  ));
