import { hash } from "node:crypto";
import { isStorable } from "@touchstone/contracts";
import type { Queryable, Statement } from "@touchstone/db";

/** A condition of the accounts library; all conditions of a list must hold. */
export interface Condition {
  field: string;
  operator: string;
  value: unknown;
  connector: "AND" | "OR";
  mode?: "sensitive" | "insensitive" | undefined;
}

export type Row = Record<string, unknown>;

/** The library's models and their tables. */
const tables: Readonly<Record<string, string>> = {
  user: "auth.users",
  session: "auth.sessions",
  account: "auth.accounts",
  verification: "auth.verifications",
};

const comparisons: Readonly<Record<string, string>> = {
  eq: "=",
  ne: "is distinct from",
  lt: "<",
  lte: "<=",
  gt: ">",
  gte: ">=",
};

/** `insert`; returns the row. */
export function insertRow(model: string, data: Row): Statement {
  const fields = Object.keys(data);
  return named(model, "insert", {
    text: `
      insert into ${tableOf(model)} (${fields.map(columnOf).join(", ")})
      values (${fields.map((_, index) => `$${index + 1}`).join(", ")})
      returning *`,
    values: Object.values(data),
  });
}

/** `update`; returns the rows. */
export function updateRows(model: string, conditions: readonly Condition[], changes: Row): Statement {
  const fields = Object.keys(changes);
  const { text, values } = whereOf(conditions, fields.length);
  return named(model, "update", {
    text: `
      update ${tableOf(model)}
      set ${fields.map((field, index) => `${columnOf(field)} = $${index + 1}`).join(", ")}
      where ${text}
      returning *`,
    values: [...Object.values(changes), ...values],
  });
}

export interface Selection {
  conditions: readonly Condition[];
  sortBy?: { field: string; direction: "asc" | "desc" } | undefined;
  limit: number;
  offset?: number | undefined;
}

/** `select`, at most `limit` rows. */
export function selectRows(model: string, { conditions, sortBy, limit, offset = 0 }: Selection): Statement {
  const { text, values } = whereOf(conditions, 0);
  const order =
    sortBy === undefined ? "" : `order by ${columnOf(sortBy.field)} ${sortBy.direction === "asc" ? "asc" : "desc"}`;
  return named(model, "select", {
    text: `
      select *
      from ${tableOf(model)}
      where ${text}
      ${order}
      limit $${values.length + 1} offset $${values.length + 2}`,
    values: [...values, limit, offset],
  });
}

/** `select count(*)`, as `count`. */
export function countRows(model: string, conditions: readonly Condition[]): Statement {
  const { text, values } = whereOf(conditions, 0);
  return named(model, "count", {
    text: `select count(*)::int as count from ${tableOf(model)} where ${text}`,
    values,
  });
}

/** `delete`; returns the rows. */
export function deleteRows(model: string, conditions: readonly Condition[]): Statement {
  const { text, values } = whereOf(conditions, 0);
  return named(model, "delete", { text: `delete from ${tableOf(model)} where ${text} returning *`, values });
}

/** Deletes one row and returns it; of concurrent callers only one gets it. */
export function deleteOneRow(model: string, conditions: readonly Condition[]): Statement {
  const { text, values } = whereOf(conditions, 0);
  const table = tableOf(model);
  return named(model, "consume", {
    text: `
      delete from ${table}
      where id = (select id from ${table} where ${text} limit 1)
      returning *`,
    values,
  });
}

/** A new password: links to reset it that were mailed before would set another one. */
export async function revokeResetLinks(transaction: Queryable, accounts: readonly Row[]): Promise<void> {
  await transaction.query({
    name: "verifications_revoke_resets",
    text: "delete from auth.verifications where value = any ($1::text[])",
    values: [accounts.map((account) => account.user_id)],
  });
}

/** A provider is linked: remembers whether the address was unverified, so that a reset by mail can remove it. */
export async function markUnverifiedLinks(transaction: Queryable, accounts: readonly Row[]): Promise<void> {
  await transaction.query({
    name: "accounts_mark_unverified_links",
    text: `
      update auth.accounts
      set linked_unverified = true
      from auth.users
      where accounts.id = any ($1::uuid[]) and users.id = accounts.user_id and not users.email_verified`,
    values: [accounts.map((account) => account.id)],
  });
}

/** A stored row under the library's names. */
export function toFields(row: Row): Row {
  return Object.fromEntries(
    Object.entries(row).map(([column, value]) => [
      column.replaceAll(/_([a-z])/g, (_match, letter: string) => letter.toUpperCase()),
      value,
    ]),
  );
}

function tableOf(model: string): string {
  const table = tables[model];
  if (table === undefined) throw new Error(`the accounts library asks for ${model}, which has no table`);
  return table;
}

/** Names come from the library's schema; anything that is not a plain name is rejected nevertheless. */
function columnOf(field: string): string {
  if (!/^[a-zA-Z]+$/.test(field)) throw new Error(`the accounts library asks for the field ${JSON.stringify(field)}`);
  return field.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

function whereOf(conditions: readonly Condition[], parametersBefore: number): { text: string; values: unknown[] } {
  if (conditions.length === 0) throw new Error("the accounts library asks for a whole table");
  const values: unknown[] = [];
  const parts = conditions.map(({ field, operator, value, connector, mode }) => {
    if (connector === "OR" || mode === "insensitive") throw new Error("the accounts library asks in a way unknown");
    const column = columnOf(field);
    if (value === null && operator === "eq") return `${column} is null`;
    // PostgreSQL would refuse the statement; no row has such a text.
    if (operator === "eq" && typeof value === "string" && !isStorable(value)) return "false";
    values.push(value);
    const parameter = `$${parametersBefore + values.length}`;
    if (operator === "in") return `${column} = any(${parameter})`;
    const comparison = comparisons[operator];
    if (comparison === undefined) throw new Error(`the accounts library compares by ${operator}`);
    return `${column} ${comparison} ${parameter}`;
  });
  return { text: parts.join(" and "), values };
}

/** The library composes a few dozen statements; each keeps its name. */
function named(model: string, action: string, { text, values }: Omit<Statement, "name">): Statement {
  return { name: `library_${model}_${action}_${hash("sha256", text).slice(0, 12)}`, text, values: values ?? [] };
}
