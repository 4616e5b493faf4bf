/** The graded agent, as far as the run's subject names it. */
export interface Subject {
  /** The agent; null if the subject names none. */
  name: string | null;
  version: string | null;
  branch: string | null;
  /** Its first seven characters, as git shows a commit. */
  commit: string | null;
}

type Members = Readonly<Record<string, unknown>>;

/**
 * Parses the subject of a run, which has whatever form the client sent. The version is read as the API reads it (`version`, else
 * `metadata.version`); branch and commit are in `git` (pipelines) or `metadata` (the SDK).
 */
export function readSubject(subject: Members | null | undefined): Subject {
  const own = subject ?? {};
  const metadata = membersOf(own.metadata);
  const git = membersOf(own.git);
  return {
    name: firstText(own.displayName, own.name, own.agent),
    version: firstText(own.version, metadata.version),
    branch: firstText(git.branch, metadata.branch),
    commit: shortCommit(firstText(git.commit_sha, git.commit, metadata.commit) ?? "") || null,
  };
}

/** An abbreviated commit, as git shows it. */
export const shortCommit = (commit: string): string => commit.slice(0, 7);

/** `refund-agent 1.4.0`, `refund-agent`, `1.4.0`; null if the subject has neither. */
export function subjectLabel({ name, version }: Subject): string | null {
  return [name, version].filter((part) => part !== null).join(" ") || null;
}

function membersOf(value: unknown): Members {
  return typeof value === "object" && value !== null ? (value as Members) : {};
}

function firstText(...values: readonly unknown[]): string | null {
  for (const value of values) {
    const text = typeof value === "number" ? String(value) : value;
    if (typeof text === "string" && text.trim() !== "") return text.trim();
  }
  return null;
}
