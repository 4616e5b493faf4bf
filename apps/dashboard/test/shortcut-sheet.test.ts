import { expect, test } from "vitest";
import { sheetGroups } from "../src/ui/shortcut-sheet.ts";

const bound = (keys: string, label: string) => ({ keys, label });

test("parts of a page that bind keys under one heading are listed under it once", () => {
  const entries = [
    { group: "Everywhere", shortcuts: [bound("g t", "Traces")] },
    { group: "Trace", shortcuts: [bound("j", "Next span")] },
    { group: "Ratings", shortcuts: [bound("w", "Why")] },
    { group: "Trace", shortcuts: [bound("+", "Good answer")] },
  ];
  expect(sheetGroups(entries).map(({ group, shortcuts }) => [group, ...shortcuts.map(({ keys }) => keys)])).toEqual([
    ["Everywhere", "g t"],
    ["Trace", "j", "+"],
    ["Ratings", "w"],
  ]);
});

test("keys that are bound twice are listed where they act, and a group that is left without any is not", () => {
  const entries = [
    { group: "Everywhere", shortcuts: [bound("y", "Copy the link")] },
    { group: "Trace", shortcuts: [bound("y", "Copy the link and say so")] },
  ];
  expect(sheetGroups(entries)).toEqual([{ group: "Trace", shortcuts: [bound("y", "Copy the link and say so")] }]);
});
