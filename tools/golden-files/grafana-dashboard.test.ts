import { metricFamilies } from "@touchstone/contracts";
import { expect, test } from "vitest";
import { renderGrafanaDashboard } from "./grafana-dashboard.ts";

interface ShownPanel {
  id: number;
  type: string;
  title: string;
  gridPos: { h: number; w: number; x: number; y: number };
  targets?: { refId: string; expr: string; legendFormat: string }[];
}

const dashboard: { schemaVersion: number; panels: ShownPanel[]; templating: { list: { name: string }[] } } = JSON.parse(
  renderGrafanaDashboard(),
);
const targets = dashboard.panels.flatMap(({ targets = [] }) => targets);

test("panels have an id and a place of their own", () => {
  const { panels } = dashboard;
  expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
  const cells = panels.flatMap(({ gridPos: { h, w, x, y } }) =>
    Array.from({ length: h * w }, (_, cell) => `${x + (cell % w)} ${y + Math.floor(cell / w)}`),
  );
  expect(new Set(cells).size).toBe(cells.length);
  expect(panels.every(({ gridPos: { x, w } }) => x + w <= 24)).toBe(true);
});

test("queries use metrics, labels and variables that exist", () => {
  const variables = dashboard.templating.list.map(({ name }) => name);
  expect(variables).toEqual(["datasource", "namespace", "service"]);
  expect(targets.length).toBeGreaterThan(20);
  for (const { expr, legendFormat } of targets) {
    const [name = ""] = /service_\w+/.exec(expr) ?? [];
    const family = name.replace(/_bucket$/, "") as keyof typeof metricFamilies;
    const labels: readonly string[] = metricFamilies[family].labels;
    for (const [, label = ""] of legendFormat.matchAll(/\{\{(\w+)\}\}/g)) {
      expect(labels, `${expr}: ${label}`).toContain(label);
      expect(expr).toMatch(new RegExp(`by \\([^)]*\\b${label}\\b`));
    }
    for (const [, variable = ""] of expr.matchAll(/\$(\w+)/g)) {
      expect([...variables, "__rate_interval"]).toContain(variable);
    }
    expect(expr.split("(").length).toBe(expr.split(")").length);
  }
});
