import type { GateVerdict, RunResult } from "@touchstone/sdk";

/** A report for pipelines: a test case for each result, and one for each check of the gate. */
export function renderJunit(results: readonly RunResult[], gate: GateVerdict | null): string {
  const tests = [...results.map(renderResult), ...(gate?.checks ?? []).map((check) => renderCheck(check))];
  if (gate?.undecided != null) tests.push(renderCheck({ check: "undecided", passed: false, detail: gate.undecided }));
  const count = (word: string): number => tests.filter((test) => test.includes(`<${word} `)).length;
  const counts = `tests="${tests.length}" failures="${count("failure")}" errors="${count("error")}" skipped="${count("skipped")}"`;
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites><testsuite name="touchstone" ${counts}>\n${tests.join("\n")}\n</testsuite></testsuites>\n`;
}

function renderResult({
  questionText,
  runNumber,
  status,
  rating,
  justification,
  latencyMs,
  error,
  output,
}: RunResult): string {
  const name = `${questionText ?? "no case"}${(runNumber ?? 1) > 1 ? ` (${runNumber})` : ""}`;
  const message = escapeXml(justification ?? error?.message ?? "");
  const ending =
    status === "failed"
      ? `<error message="${message}"/>`
      : status === "skipped"
        ? `<skipped message="${message}"/>`
        : "";
  const said = escapeXml(`Rating: ${rating ?? "none"}. ${justification ?? ""}\n${output?.text ?? ""}`);
  return `<testcase classname="touchstone.results" name="${escapeXml(name)}" time="${(latencyMs ?? 0) / 1_000}">${ending}<system-out>${said}</system-out></testcase>`;
}

function renderCheck({ check, passed, detail }: { check: string; passed: boolean; detail: string }): string {
  const ending = passed ? "" : `<failure message="${escapeXml(detail)}"/>`;
  return `<testcase classname="touchstone.gate" name="${escapeXml(check)}" time="0">${ending}</testcase>`;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: XML has no character for these.
const notInXml = /[\u0000-\u0008\u000B\u000C\u000E-\u001F\uFFFE\uFFFF]/g;

function escapeXml(text: string): string {
  return text
    .toWellFormed()
    .replace(notInXml, "\uFFFD")
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;");
}
