import { describe, expect, test } from "vitest";
import { seeds } from "../src/graders/seeds/seeds.ts";

/** Everything a user reads, and a judge. */
const texts = seeds
  .map(({ key, config, online }) => {
    const { name, description, toolContext, ...rubric } = config;
    const parts = Object.entries(rubric).map(([member, text]) => `### ${member}\n\n${text}`);
    const live = online === undefined ? [] : [`### online\n\n${JSON.stringify(online)}`];
    return [`## ${name} (${key}, tool context ${toolContext})`, description, ...parts, ...live].join("\n\n");
  })
  .join("\n\n");

test("what every project is given reads as it was reviewed", async () => {
  await expect(`${texts}\n`).toMatchFileSnapshot("golden/seeded-content.md");
});

describe.each(seeds.map((seed) => [seed.config.name, seed] as const))("%s", (_name, { key, config }) => {
  const { name, description, toolContext, ...rubric } = config;
  const rules = Object.values(rubric).join("\n");

  test("describes what 10, 5 and 0 mean", () => {
    for (const anchor of [10, 5, 0]) expect(rules).toMatch(new RegExp(`^${anchor} - \\S`, "m"));
  });

  test("has a unique name, key and texts", () => {
    const others = seeds.filter((seed) => seed.key !== key);
    expect(others.map((seed) => seed.config.name)).not.toContain(name);
    expect(others.map((seed) => seed.config.description)).not.toContain(description);
  });

  test("its custom template requires nothing that a live judge would not have", () => {
    const { judgePrompt = "{input}" } = config;
    const variables = [...judgePrompt.matchAll(/\{(\w+)\}/g)].map(([, variable]) => variable);
    expect(["input", "output", "context"]).toEqual(expect.arrayContaining(variables));
    expect(variables).toContain("input");
    expect(new Set(variables).size).toBe(variables.length);
  });
});
