import { expect, test } from "vitest";
import { openPage } from "../src/open-page.ts";
import { createOwnProject } from "../src/projects.ts";

interface Group {
  _id: string;
  name: string;
  members: { weight: number; gate: boolean }[];
}

test("a group of scorers is created, edited and deleted", async () => {
  const { base, client, post } = await createOwnProject();
  await post("/agent-monitoring/judge-scorers", { name: "Helpful", judge: { evaluationCriteria: "Does it help?" } });
  const read = async (name: string): Promise<Group | undefined> => {
    const { body } = await client.send("GET", "/agent-monitoring/scorer-groups");
    return (body as { scorerGroups: Group[] }).scorerGroups.find((group) => group.name === name);
  };
  const { page, problems, close } = await openPage();
  const panel = page.getByRole("complementary");
  const row = (name: string) => page.getByRole("row", { name: new RegExp(name) });
  try {
    await page.goto(`${base}/judges?tab=groups`);
    await page.getByRole("button", { name: "Group", exact: true }).click();
    await panel.getByLabel("Name").fill("Careful");
    const members = panel.getByRole("combobox", { name: "Add a member" });
    await members.selectOption({ label: "Helpful" });
    await panel.getByLabel("Weight of Helpful").fill("2");
    await panel.getByRole("button", { name: "Create the group" }).click();
    await page.getByText("The group Careful is saved.").waitFor();
    expect((await read("Careful"))?.members).toMatchObject([{ weight: 2, gate: false }]);

    await row("Careful").getByRole("button", { name: "Edit Careful" }).click();
    await panel.getByRole("checkbox", { name: "Helpful must pass" }).check();
    await panel.getByLabel("Name").fill("More careful");
    await panel.getByRole("button", { name: "Save" }).click();
    await page.getByText("The group More careful is saved.").waitFor();
    expect((await read("More careful"))?.members).toMatchObject([{ weight: 2, gate: true }]);

    await row("More careful").getByRole("button", { name: "Edit More careful" }).click();
    await panel.getByRole("button", { name: "Delete" }).click();
    const dialog = page.getByRole("dialog", { name: "Delete the group More careful?" });
    await dialog.getByRole("button", { name: "Delete 1 group" }).click();
    await page.getByText("The group More careful is deleted.").waitFor();
    expect(await read("More careful")).toBeUndefined();
    expect(problems).toEqual([]);
  } finally {
    await close();
  }
});
