// Runs a dataset through an agent and asks Touchstone whether the outputs pass. Needs only Node 20 or newer.
// Exit code: 0 the gate passes, 1 it fails, 2 it was not asked, 3 it is undecided. Settings: README.md beside this file.
import { spawn } from "node:child_process";
import { appendFile, readFile, writeFile } from "node:fs/promises";
import { createInterface } from "node:readline";

const batchSize = 10;
const stderrKept = 2_000;
/** Ten of them fit into a request body. */
const outputMaxBytes = 512 * 1024;
const shownViolations = 50;

/** An error that prevents a verdict. Only its message is shown. */
class Failure extends Error {}

async function main(environment) {
  const settings = readSettings(environment);
  if (settings.config !== null) return evaluateConfig(settings, environment);
  const outputs = settings.outputsFile === null ? null : await readOutputs(settings.outputsFile);
  const api = createApi(settings);

  const run = await api.post("/ingest/ci-runs", {
    dataset_id: settings.datasetId,
    ...(settings.agentName !== null && { agent_name: settings.agentName }),
    ...(settings.passRateThreshold !== null && { pass_rate_threshold: settings.passRateThreshold }),
    git_context: readGitContext(environment),
  });
  if (typeof run?.run_id !== "string") throw new Failure(`What answers at ${settings.url} is not Touchstone.`);
  print(`CI run ${run.run_id}: ${run.total_questions} questions, ${percent(run.pass_rate_threshold)} must pass.`);

  const runPath = `/ingest/ci-runs/${run.run_id}`;
  const cases = outputs === null ? casesOf(run) : null;
  for (const slice of slicesOf(cases ?? outputs)) {
    const results = cases === null ? slice : await answerAll(slice, settings);
    const scored = await api.post(`${runPath}/results`, { results }, { isDecided: (status) => status === 409 });
    // Null: an earlier response was lost, and the results before it had already decided the run.
    for (const score of scored?.scores ?? []) print(describeScore(score));
    if (scored === null || scored.gate_fired) {
      print("The pass rate can no longer be reached: the rest is not run.");
      break;
    }
  }

  const verdict = await api.post(`${runPath}/finalize`, {});
  await report(verdict, environment, settings);
  return verdict.gate === "pass" ? 0 : 1;
}

function readSettings(environment) {
  const mistakes = [];
  const text = (name) => environment[name]?.trim() || null;
  const needed = (name) => {
    if (text(name) === null) mistakes.push(`${name} is not set.`);
    return text(name) ?? "";
  };
  const number = (name, otherwise, holds, words) => {
    const value = text(name) === null ? otherwise : Number(text(name));
    if (value !== null && !(Number.isFinite(value) && holds(value))) mistakes.push(`${name} must be ${words}.`);
    return value;
  };
  const config = text("TOUCHSTONE_CONFIG");
  const settings = {
    config,
    cli: text("TOUCHSTONE_CLI") ?? "npx --yes @touchstone/cli",
    url: needed("TOUCHSTONE_URL").replace(/\/+$/, ""),
    apiKey: needed("TOUCHSTONE_API_KEY"),
    datasetId: config === null ? needed("TOUCHSTONE_DATASET_ID") : null,
    command: text("TOUCHSTONE_COMMAND"),
    outputsFile: text("TOUCHSTONE_OUTPUTS_FILE"),
    agentName: text("TOUCHSTONE_AGENT_NAME"),
    passRateThreshold: number(
      "TOUCHSTONE_PASS_RATE_THRESHOLD",
      null,
      (value) => value >= 0 && value <= 1,
      "a number between 0 and 1",
    ),
    parallel: number(
      "TOUCHSTONE_PARALLEL",
      4,
      (value) => Number.isInteger(value) && value >= 1 && value <= batchSize,
      `a whole number between 1 and ${batchSize}`,
    ),
    commandTimeoutMs: Math.min(
      1_000 * number("TOUCHSTONE_COMMAND_TIMEOUT_SECONDS", 120, (value) => value > 0, "a number above 0"),
      // A timer that is set to more is due at once.
      2 ** 31 - 1,
    ),
    resultFile: text("TOUCHSTONE_RESULT_FILE"),
  };
  if (settings.url !== "" && !/^https?:\/\//.test(settings.url)) mistakes.push("TOUCHSTONE_URL must begin with http.");
  const answers = [settings.command, settings.outputsFile].filter((one) => one !== null);
  if (config === null && answers.length !== 1) {
    mistakes.push("Set one of TOUCHSTONE_COMMAND and TOUCHSTONE_OUTPUTS_FILE.");
  }
  if (config !== null && (answers.length > 0 || text("TOUCHSTONE_DATASET_ID") !== null)) {
    mistakes.push("The dataset and the task are in the configuration: set nothing else beside TOUCHSTONE_CONFIG.");
  }
  if (mistakes.length > 0) throw new Failure(mistakes.join(" "));
  return settings;
}

/** Lets the command line evaluate a configuration. Its exit code says how the gate decided. */
async function evaluateConfig({ cli, config, url, apiKey, resultFile }, environment) {
  const { code, stdout } = await new Promise((resolve, reject) => {
    const child = spawn(`${cli} eval --json "$TOUCHSTONE_CONFIG"`, {
      shell: process.platform === "win32" ? "bash" : true,
      stdio: ["ignore", "pipe", "pipe"],
      env: { ...environment, TOUCHSTONE_URL: url, TOUCHSTONE_API_KEY: apiKey, TOUCHSTONE_CONFIG: config },
    });
    let stdout = "";
    child.stdout.setEncoding("utf8").on("data", (text) => {
      stdout += text;
    });
    createInterface({ input: child.stderr }).on("line", (line) => print(`touchstone: ${line}`));
    child.once("error", reject);
    child.once("close", (code) => resolve({ code, stdout }));
  });
  const gate = { 0: "pass", 1: "fail", 3: "undecided" }[code];
  if (gate === undefined) throw new Failure("The configuration was not evaluated.");
  // A task may have written to standard output, too.
  const verdict = JSON.parse(stdout.split("\n").findLast((line) => line.startsWith('{"run":')) ?? "null");
  if (verdict === null) throw new Failure("The configuration was not evaluated.");
  const { run } = verdict;
  for (const { check, detail } of verdict.gate?.checks ?? []) print(`Check ${check}: ${shorten(detail)}`);
  const headline = `Gate: ${gate}. Average rating ${run.averageRating ?? "none"}, ${run.ratedCount} rated, ${run.skippedCount} skipped.`;
  print(`${headline} ${run.url}`);
  await writeOutputs({ gate, "average-rating": run.averageRating ?? "", "run-id": run.id }, environment);
  if (environment.GITHUB_STEP_SUMMARY) {
    await appendFile(environment.GITHUB_STEP_SUMMARY, `### ${headline}\n\n[Run \`${run.id}\`](${run.url})\n\n`);
  }
  if (resultFile !== null) await writeFile(resultFile, `${JSON.stringify(verdict, null, 2)}\n`);
  return code;
}

/** The commit of the pipeline: from GitHub's variables, else GitLab's. */
function readGitContext(environment) {
  const either = (...names) => names.map((name) => environment[name]).find((value) => value);
  const { GITHUB_SERVER_URL, GITHUB_REPOSITORY, GITHUB_REF } = environment;
  const context = {
    branch: either("GITHUB_HEAD_REF", "GITHUB_REF_NAME", "CI_COMMIT_REF_NAME"),
    commit_sha: either("GITHUB_SHA", "CI_COMMIT_SHA"),
    pr_number: /^refs\/pull\/(\d+)\//.exec(GITHUB_REF ?? "")?.[1] ?? environment.CI_MERGE_REQUEST_IID,
    repo_url: GITHUB_REPOSITORY ? `${GITHUB_SERVER_URL}/${GITHUB_REPOSITORY}` : environment.CI_PROJECT_URL,
    triggered_by: either("GITHUB_ACTOR", "GITLAB_USER_LOGIN"),
  };
  return Object.fromEntries(Object.entries(context).filter(([, value]) => value));
}

/** Outputs from a file: `[{question_index, output, ...}]`, as results are submitted. */
async function readOutputs(file) {
  let outputs;
  try {
    outputs = JSON.parse(await readFile(file, "utf8"));
  } catch (thrown) {
    throw new Failure(`TOUCHSTONE_OUTPUTS_FILE ${file} cannot be read: ${thrown.message}`);
  }
  const isList = Array.isArray(outputs) && outputs.every((one) => Number.isInteger(one?.question_index));
  if (!isList) throw new Failure(`${file} must hold a list of {"question_index", "output"}.`);
  return outputs;
}

/** A case for each question; without its query if the dataset does not expose its inputs. */
function casesOf(run) {
  const queries = new Map(run.test_cases.map(({ index, query }) => [index, query]));
  return Array.from({ length: run.total_questions }, (_, index) => ({ index, query: queries.get(index) ?? "" }));
}

async function answerAll(cases, settings) {
  const results = [];
  let next = 0;
  const work = async () => {
    while (next < cases.length) {
      const at = next++;
      results[at] = await answer(cases[at], settings);
    }
  };
  await Promise.all(Array.from({ length: settings.parallel }, work));
  return results;
}

/** Runs the command for one case: its standard input is the query, its standard output is the agent's answer. */
function answer({ index, query }, { command, commandTimeoutMs }) {
  const startedMs = performance.now();
  return new Promise((resolve) => {
    const child = spawn(command, {
      shell: true,
      // A separate process group, so that processes started by the shell end with it.
      detached: process.platform !== "win32",
      env: { ...process.env, TOUCHSTONE_QUESTION_INDEX: String(index) },
    });
    const stdout = [];
    let bytes = 0;
    let stderr = "";
    let failure = null;
    const stop = (type, message) => {
      failure ??= { type, message };
      try {
        if (process.platform === "win32") child.kill("SIGKILL");
        else process.kill(-child.pid, "SIGKILL");
      } catch {
        // It has already exited.
      }
    };
    const timer = setTimeout(
      () => stop("Timeout", `The command took longer than ${commandTimeoutMs / 1_000} s.`),
      commandTimeoutMs,
    );
    child.stdout.on("data", (chunk) => {
      bytes += chunk.length;
      if (bytes > outputMaxBytes) stop("OutputTooLarge", `The command wrote more than ${outputMaxBytes} bytes.`);
      else stdout.push(chunk);
    });
    child.stderr.on("data", (chunk) => {
      stderr = (stderr + chunk).slice(-stderrKept);
    });
    // A command that does not read its input may exit before the query is written.
    child.stdin.on("error", () => undefined);
    child.stdin.end(query);
    child.once("error", (error) => stop("CommandFailed", error.message));
    child.once("close", (code, signal) => {
      clearTimeout(timer);
      const ending = code === null ? `was ended by ${signal}` : `ended with code ${code}`;
      if (failure === null && code !== 0) {
        failure = { type: "CommandFailed", message: `The command ${ending}. ${stderr}`.trim() };
      }
      const output = Buffer.concat(stdout).toString("utf8").trimEnd();
      const said = { question_index: index, latency_ms: Math.round(performance.now() - startedMs) };
      if (query !== "") said.input = query;
      resolve(failure === null ? { ...said, output } : { ...said, error: failure });
    });
  });
}

function createApi({ url, apiKey }) {
  const base = url.endsWith("/api/v1") ? url : `${url}/api/v1`;
  const pausesMs = [1_000, 3_000, 9_000];

  /** Returns null for a status that `isDecided` accepts. Requests that are safe to repeat are retried, with pauses. */
  async function post(path, body, { isDecided = () => false } = {}) {
    // A second run would be left unfinished and fail when it expires.
    const isRepeatable = path !== "/ingest/ci-runs";
    for (let attempt = 0; ; attempt += 1) {
      const answered = await send(path, body, isRepeatable && attempt < pausesMs.length);
      if (answered?.ok) return readJson(answered);
      if (answered !== null && isDecided(answered.status)) return null;
      const mayRetry =
        answered === null || [429, 503].includes(answered.status) || (isRepeatable && answered.status >= 500);
      if (!mayRetry || attempt >= pausesMs.length) throw new Failure(await describeRefusal(path, answered));
      const asked = Number(answered?.headers.get("retry-after") ?? 0);
      await new Promise((resolve) => setTimeout(resolve, Math.min(60_000, Math.max(pausesMs[attempt], asked * 1_000))));
    }
  }

  /** Null if the server could not be reached and a retry is allowed. */
  async function send(path, body, mayRetry) {
    try {
      return await fetch(`${base}${path}`, {
        method: "POST",
        headers: { "x-api-key": apiKey, "content-type": "application/json" },
        body: JSON.stringify(body),
        // Longer than the judging of a batch may take.
        signal: AbortSignal.timeout(270_000),
      });
    } catch (thrown) {
      if (mayRetry) return null;
      const reason = thrown.cause?.code ?? thrown.cause?.message ?? thrown.message;
      throw new Failure(`Touchstone cannot be reached at ${base}: ${reason}.`);
    }
  }

  async function readJson(answered) {
    try {
      return await answered.json();
    } catch {
      throw new Failure(`What answers at ${base} is not Touchstone: its answer is no JSON.`);
    }
  }

  async function describeRefusal(path, answered) {
    const text = await answered.text().catch(() => "");
    let said = text.slice(0, 300);
    try {
      const { error, message } = JSON.parse(text);
      said = error ?? message ?? said;
    } catch {
      // A proxy answered; its text is shown unchanged.
    }
    const hint = answered.status === 401 ? " Check TOUCHSTONE_API_KEY." : "";
    return `POST ${path} was answered ${answered.status}: ${said}${hint}`;
  }

  return { post };
}

async function report(verdict, environment, settings) {
  const { gate, pass_rate, pass_rate_threshold, passed_questions, total_questions, violations, run_id } = verdict;
  const headline = `Gate: ${gate}. ${passed_questions} of ${total_questions} questions passed (${percent(pass_rate)}, ${percent(pass_rate_threshold)} needed).`;
  for (const violation of violations.slice(0, shownViolations)) print(describeViolation(violation));
  if (violations.length > shownViolations) print(`... and ${violations.length - shownViolations} more violations.`);
  print(headline);

  await writeOutputs({ gate, "pass-rate": pass_rate, "run-id": run_id }, environment);
  if (environment.GITHUB_STEP_SUMMARY) {
    await appendFile(environment.GITHUB_STEP_SUMMARY, renderSummary(headline, verdict));
  }
  if (settings.resultFile !== null) await writeFile(settings.resultFile, `${JSON.stringify(verdict, null, 2)}\n`);
}

async function writeOutputs(outputs, environment) {
  const lines = Object.entries(outputs).map(([name, value]) => `${name}=${value}\n`);
  if (environment.GITHUB_OUTPUT) await appendFile(environment.GITHUB_OUTPUT, lines.join(""));
}

function renderSummary(headline, { violations, run_id }) {
  const rows = violations
    .slice(0, shownViolations)
    .map((one) =>
      [one.question_index, one.question_text ?? "", one.metric, one.actual ?? "not measured", one.threshold]
        .map((cell) => cellOf(String(cell)))
        .join(" | "),
    );
  const table =
    rows.length === 0
      ? []
      : [
          "",
          "| Question | Text | Metric | Actual | Needed |",
          "|---|---|---|---|---|",
          ...rows.map((row) => `| ${row} |`),
        ];
  const more =
    violations.length > shownViolations ? ["", `${violations.length - shownViolations} more are not shown.`] : [];
  return [`### ${headline}`, "", `CI run \`${run_id}\``, ...table, ...more, "", ""].join("\n");
}

/** Escapes external text for a table cell: no markup, no line breaks. */
const cellOf = (text) => shorten(text).replace(/[&<>|`\\[\]*_]/g, (character) => `&#${character.charCodeAt(0)};`);

const describeScore = ({ question_index, passed, rating, justification }) =>
  `Question ${question_index}: ${passed ? "passed" : "failed"}, ${rating === null ? "not rated" : `rated ${rating}`}. ${shorten(justification ?? "")}`;

function describeViolation({ question_index, metric, threshold, actual }) {
  if (metric === "missing") return `Violation: question ${question_index} has no result.`;
  return `Violation: question ${question_index}, ${shorten(metric)}: ${actual ?? "not measured"}, ${threshold} needed.`;
}

/** One line of at most 200 characters. */
function shorten(text) {
  const line = text.replace(/\s+/g, " ").trim();
  return line.length > 200 ? `${line.slice(0, 199)}…` : line;
}

/** Every line begins with our own text, so that the pipeline cannot mistake external text for a command. */
function print(line) {
  process.stdout.write(`${line.replace(/[\r\n]+/g, " ")}\n`);
}

const percent = (share) => `${Math.round(share * 1_000) / 10} %`;

function* slicesOf(list) {
  for (let from = 0; from < list.length; from += batchSize) yield list.slice(from, from + batchSize);
}

try {
  process.exitCode = await main(process.env);
} catch (thrown) {
  print(`Error: ${thrown instanceof Failure ? thrown.message : (thrown?.stack ?? thrown)}`);
  process.exitCode = 2;
}
