import { Client } from "pg";
import { largeTraceName } from "./seed-traces.ts";

/**
 * Settings of PostgreSQL for making the copies: the folder is deleted when that fails. Without WAL for new tables half
 * as much is written.
 */
export const loadingSettings: Readonly<Record<string, string>> = {
  fsync: "off",
  full_page_writes: "off",
  wal_level: "minimal",
  max_wal_senders: "0",
  max_wal_size: "16GB",
  checkpoint_timeout: "1h",
  autovacuum: "off",
  shared_buffers: "1GB",
};

/** The size and contents of the result. */
export interface Multiplication {
  databaseUrl: string;
  /** The approximate number of root traces; a quarter of them in each of the four weeks before this one. */
  roots: number;
  /** How many of them, the newest, can be searched for. */
  searched: number;
  /** Contains half of them, and the whole seed. */
  largeProject: string;
  /** Contains at most 10,000. */
  smallProject: string;
  /** Share the rest. */
  otherProjects: readonly string[];
}

const smallProjectRoots = 10_000;

const weeks = 4;
const weekMs = 7 * 86_400_000;
/** A trace begins this long before the end of its week, so that all of it falls into it. */
const marginMs = 600_000;
/** Texts of one piece of the table of search texts. */
const pieceTexts = 131_072;
const owner = "touchstone_ingest_owner";

/**
 * Copies the traces that the system itself stored, within PostgreSQL: fifty thousand spans a second, where sending them
 * would take hours. A copy has new ids, times, a session and a project, and one unique word in its search text (see
 * {@link rareWordOf}); its payload is the original's. Indexes are built afterwards, in bulk.
 */
export async function multiplyTraces(options: Multiplication, onProgress: (what: string) => void): Promise<void> {
  const [first, second] = await Promise.all([connect(options.databaseUrl), connect(options.databaseUrl)]);
  try {
    await prepare(first, options);
    const traces = await countSeed(first);
    const pieces = planPieces(options);
    onProgress("copying");
    // The longest first, so that both connections end at about the same time.
    const tasks = [
      ...pieces.map((piece) => async (client: Client) => {
        await copyPiece(client, piece, traces);
        onProgress(`search texts of ${piece.below - piece.from} traces are copied`);
      }),
      ...Array.from({ length: weeks }, (_, week) => async (client: Client) => {
        await copyWeek(client, options, { week, traces });
        onProgress(`spans of week ${week + 1} are copied and indexed`);
      }),
      (client: Client) => copyKeys(client, options, traces),
      (client: Client) => copyTrees(client, options, traces),
    ];
    const work = async (client: Client): Promise<void> => {
      for (let task = tasks.shift(); task !== undefined; task = tasks.shift()) await task(client);
    };
    await Promise.all([work(first), work(second)]);
    await countRoots(first);
    const last = pieces.reduce((most, { from, below, firstSeq }) => Math.max(most, firstSeq + below - from - 1), 0);
    await first.query("select setval('ingest.search_docs_seq_seq', $1)", [last]);
    await finish(first);
    await checkCopies(first, options, traces);
  } finally {
    await Promise.all([first.end(), second.end()]);
  }
}

/** The word that only the copy with this number has. */
export function rareWordOf(copy: number): string {
  return `zq${copy.toString(16).padStart(6, "0")}xj`;
}

async function connect(databaseUrl: string): Promise<Client> {
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  await client.query(`set role ${owner}`);
  await client.query("set maintenance_work_mem = '512MB'; set work_mem = '256MB'; set timezone = 'UTC'");
  return client;
}

const scopedTables = ["spans", "span_keys", "traces", "root_counts", "search_docs"];

async function prepare(client: Client, options: Multiplication): Promise<void> {
  // The owner copies for all projects; row-level security binds it, too.
  for (const table of scopedTables) await client.query(`alter table ingest.${table} no force row level security`);
  const firstWeek = `date_trunc('week', now()) - interval '${weeks} weeks'`;
  const { rows } = await client.query<{ ms: string }>(`select (extract(epoch from ${firstWeek}) * 1000)::bigint as ms`);
  const firstMs = Number(rows[0]?.ms);
  const perWeek = Math.ceil(options.roots / weeks);
  const others = options.otherProjects.map((id) => `'${id}'`).join(",");
  await client.query(`
    create function ingest.bench_ms(copy bigint) returns bigint language sql immutable as $$
      select ${firstMs} + copy / ${perWeek} * ${weekMs} + (copy % ${perWeek}) * ${weekMs - marginMs} / ${perWeek}
    $$;
    create function ingest.bench_project(copy bigint) returns uuid language sql immutable as $$
      select case
        when copy % 2 = 0 then '${options.largeProject}'::uuid
        when copy / 2 % ${options.otherProjects.length + 1} = 0
          and copy / 2 / ${options.otherProjects.length + 1} < ${smallProjectRoots} then '${options.smallProject}'::uuid
        else (array[${others}]::uuid[])[1 + copy / 2 % ${options.otherProjects.length}]
      end
    $$;
    create function ingest.bench_uuid(original uuid, copy bigint) returns uuid language sql immutable as $$
      select md5(original::text || copy)::uuid
    $$;
    create function ingest.bench_span_id(original text, copy bigint) returns text language sql immutable as $$
      select left(md5(original || copy), 16)
    $$;
    create function ingest.bench_id(original uuid, copy bigint, ms bigint) returns uuid language sql immutable as $$
      select overlay(overlay(
        lpad(to_hex(ms), 12, '0') || right(md5(original::text || copy), 20) placing '7' from 13) placing 'a' from 17)::uuid
    $$;
    create function ingest.bench_derived(derived text, ids uuid[], after_ms bigint[], copy bigint, ms bigint)
    returns text language plpgsql immutable as $$
    begin
      for place in 1..coalesce(cardinality(ids), 0) loop
        derived := replace(derived, ids[place]::text, ingest.bench_id(ids[place], copy, ms + after_ms[place])::text);
      end loop;
      return derived;
    end $$;
    create unlogged table ingest.bench_seed as
      select dense_rank() over (order by roots.id) - 1 as number,
        greatest(0, least(60000, (extract(epoch from spans.created_at - roots.created_at) * 1000)::bigint)) as after_ms,
        roots.created_at as began_at,
        spans.*
      from ingest.spans
      join ingest.spans roots
        on roots.project_id = spans.project_id and roots.trace_key = spans.trace_key and roots.is_root
      where spans.project_id = '${options.largeProject}' and roots.name <> '${largeTraceName}';
    create index on ingest.bench_seed (number);
    alter table ingest.bench_seed add lenders uuid[], add lenders_after_ms bigint[];
    update ingest.bench_seed seed
    set (lenders, lenders_after_ms) = (
      select array_agg(lender.id), array_agg(lender.after_ms)
      from ingest.bench_seed lender
      where lender.number = seed.number and seed.derived like '%' || lender.id || '%'
    )
    where derived is not null;
    analyze ingest.bench_seed;`);
}

/** The number of traces in the seed. */
async function countSeed(client: Client): Promise<number> {
  const { rows } = await client.query<{ n: string }>("select max(number) + 1 as n from ingest.bench_seed");
  return Number(rows[0]?.n);
}

/** Every column of the table as a copy has it: identifiers are new, times are shifted, the rest is unchanged. */
async function copiedColumns(
  client: Client,
  table: string,
): Promise<{ names: string; values: string; made: Record<string, string> }> {
  const moved = (column: string): string => `seed.${column} - seed.began_at + to_timestamp(copies.ms / 1000.0)`;
  const made: Record<string, string> = {
    project_id: "copies.project_id",
    id: "ingest.bench_id(seed.id, copies.copy, copies.ms + seed.after_ms)",
    dk: "ingest.bench_uuid(seed.dk, copies.copy)",
    parent_dk: "ingest.bench_uuid(seed.parent_dk, copies.copy)",
    trace_key: "ingest.bench_uuid(seed.trace_key, copies.copy)",
    span_id: "ingest.bench_span_id(seed.span_id, copies.copy)",
    parent_span_id: "ingest.bench_span_id(seed.parent_span_id, copies.copy)",
    session_id: "seed.session_id || '-' || copies.round",
    response_id: "seed.response_id || '-' || copies.copy",
    created_at: "to_timestamp((copies.ms + seed.after_ms) / 1000.0)",
    started_at: moved("started_at"),
    ended_at: moved("ended_at"),
    // Rows of the donor trace are identified by their ids.
    derived: `case when seed.lenders is null then seed.derived else
      ingest.bench_derived(seed.derived, seed.lenders, seed.lenders_after_ms, copies.copy, copies.ms) end`,
    due_at: "null",
  };
  const { rows } = await client.query<{ column_name: string }>(
    `select column_name from information_schema.columns
     where table_schema = 'ingest' and table_name = $1 and is_identity = 'NO' and is_generated = 'NEVER'
     order by ordinal_position`,
    [table],
  );
  const columns = rows.map((row) => row.column_name);
  const valueByColumn = Object.fromEntries(columns.map((column) => [column, made[column] ?? `seed.${column}`]));
  return {
    names: columns.join(", "),
    values: Object.values(valueByColumn).join(", "),
    made: valueByColumn,
  };
}

/**
 * The copies from one number up to another, joined with the spans of their originals, in the order of their numbers.
 */
const copiesOf = (seed: string, traces: number, { from, below, step = 1 }: Range): string => `
  (
    select copy, copy % ${traces} as number, copy / ${traces} as round, ingest.bench_ms(copy) as ms,
      ingest.bench_project(copy) as project_id
    from generate_series(${from}::bigint, ${below - 1}::bigint, ${step}) copy
  ) copies
  join ${seed} seed using (number)`;

interface Range {
  from: number;
  below: number;
  step?: number;
}

/** In one transaction with the creation of its table: its contents are not logged then. */
async function copyWeek(
  client: Client,
  { roots }: Multiplication,
  { week, traces }: { week: number; traces: number },
): Promise<void> {
  const perWeek = Math.ceil(roots / weeks);
  const from = week * perWeek;
  const spans = await copiedColumns(client, "spans");
  const { rows } = await client.query<{ name: string; first: string; next: string }>(`
    select 'spans_' || to_char(day, 'IYYY"w"IW') as name,
      ingest.first_span_id(day) as first,
      ingest.first_span_id(day + 7) as next
    from (select (to_timestamp(ingest.bench_ms(${from}) / 1000.0))::date as day) week`);
  const { name, first, next } = rows[0] as { name: string; first: string; next: string };
  await client.query("begin");
  await client.query(`create table ingest.${name} (like ingest.spans including defaults including storage)`);
  await client.query(`
    insert into ingest.${name} (${spans.names})
    select ${spans.values}
    from ${copiesOf("ingest.bench_seed", traces, { from, below: Math.min(roots, from + perWeek) })}`);
  await client.query(
    `alter table ingest.spans attach partition ingest.${name} for values from ('${first}') to ('${next}')`,
  );
  await client.query("commit");
}

async function copyKeys(client: Client, { roots }: Multiplication, traces: number): Promise<void> {
  const { rows: constraints } = await client.query<{ name: string; definition: string }>(
    `select conname as name, pg_get_constraintdef(oid) as definition from pg_constraint
     where conrelid = 'ingest.span_keys'::regclass and contype = 'p'`,
  );
  const key = constraints[0] as { name: string; definition: string };
  const keys = await copiedColumns(client, "span_keys");
  await client.query(`
    alter table ingest.span_keys drop constraint ${key.name};
    insert into ingest.span_keys (${keys.names})
    select ${keys.values}
    from ${copiesOf("ingest.bench_seed", traces, { from: 0, below: roots })}
    where seed.dk is not null;
    alter table ingest.span_keys add constraint ${key.name} ${key.definition}`);
}

async function copyTrees(client: Client, { roots }: Multiplication, traces: number): Promise<void> {
  const trees = await copiedColumns(client, "traces");
  await client.query(`
    insert into ingest.traces (${trees.names})
    select ${trees.values}
    from ${copiesOf("(select number, kept.* from ingest.traces kept join ingest.bench_seed on bench_seed.trace_key = kept.trace_key where bench_seed.is_root)", traces, { from: 0, below: roots })}`);
}

async function countRoots(client: Client): Promise<void> {
  await client.query(`
    insert into ingest.root_counts as counts (project_id, day, framework, source, shard, n)
    select project_id, (created_at at time zone 'UTC')::date, coalesce(framework, ''), coalesce(source, ''), 0, count(*)
    from ingest.spans
    where is_root and id < (select min(id::text)::uuid from ingest.bench_seed)
    group by 1, 2, 3, 4
    on conflict (project_id, day, framework, source, shard) do update set n = counts.n + excluded.n`);
}

/** A piece of the search text, by its first number, and its copies. */
interface Piece extends Range {
  firstSeq: number;
}

/** Pieces of the table's size, after the existing ones. */
function planPieces({ roots, searched }: Multiplication): Piece[] {
  const pieces: Piece[] = [];
  for (let from = roots - searched; from < roots; from += pieceTexts) {
    pieces.push({ from, below: Math.min(roots, from + pieceTexts), firstSeq: pieceTexts * (pieces.length + 1) });
  }
  return pieces;
}

async function copyPiece(client: Client, piece: Piece, traces: number): Promise<void> {
  const { rows } = await client.query<{ settings: string | null }>(
    `select array_to_string(reloptions, ', ') as settings from pg_class
     where relnamespace = 'ingest'::regnamespace and relname = 'search_docs_0'`,
  );
  const settings = rows[0]?.settings;
  const name = `search_docs_${piece.firstSeq}`;
  await client.query("begin");
  await client.query(`
    create table ingest.${name} (like ingest.search_docs including defaults including storage)
    ${settings ? `with (${settings})` : ""}`);
  await copyTexts(client, name, piece, traces);
  await client.query(
    `alter table ingest.search_docs attach partition ingest.${name}
     for values from (${piece.firstSeq}) to (${piece.firstSeq + pieceTexts})`,
  );
  await client.query("commit");
}

async function copyTexts(
  client: Client,
  table: string,
  { from, below, firstSeq }: Piece,
  traces: number,
): Promise<void> {
  await client.query(`
    insert into ingest.${table} (project_id, id, seq, doc) overriding system value
    select copies.project_id, ingest.bench_id(seed.id, copies.copy, copies.ms + seed.after_ms),
      ${firstSeq - from} + copies.copy, docs.doc || E'\\nzq' || lpad(to_hex(copies.copy), 6, '0') || 'xj'
    from ${copiesOf("ingest.bench_seed", traces, { from, below })}
    join ingest.search_docs docs on docs.project_id = seed.project_id and docs.id = seed.id
    where seed.is_root
    order by copies.copy`);
}

/** Copies compared with their originals; see {@link checkCopies}. */
const checkedCopies = 500;

/**
 * Compares some copies, found by their key, with the originals that the system stored: changed values have the form of
 * the original's, and all the rest is equal. And its partition has every index of the original's.
 */
async function checkCopies(client: Client, { roots }: Multiplication, traces: number): Promise<void> {
  const { made } = await copiedColumns(client, "spans");
  // Digits and letters of hashes and times differ; their positions and number do not.
  const formOf = (column: string): string =>
    `regexp_replace(regexp_replace(${column}::text, '[.][0-9]+', ''), '[0-9a-f]', 'x', 'g')`;
  const differs = Object.entries(made).map(([column, value]) => {
    if (value === `seed.${column}`) return `spans.${column} is distinct from ${value}`;
    // A number is appended to these.
    if (["session_id", "response_id"].includes(column)) return `spans.${column} is distinct from ${value}`;
    return `${formOf(`spans.${column}`)} is distinct from ${formOf(`seed.${column}`)}`;
  });
  const { rows } = await client.query<{ compared: string; different: string; indexes: string }>(`
    select count(*) as compared, count(*) filter (where spans.id is null or ${differs.join(" or ")}) as different,
      (
        select count(distinct indexes) from (
          select count(*) as indexes from pg_inherits join pg_index on indrelid = inhrelid
          where inhparent = 'ingest.spans'::regclass group by inhrelid
        ) partitions
      ) as indexes
    from ${copiesOf("ingest.bench_seed", traces, { from: 0, below: roots, step: Math.ceil(roots / checkedCopies) })}
    left join ingest.spans
      on spans.project_id = copies.project_id
      and spans.id = ingest.bench_id(seed.id, copies.copy, copies.ms + seed.after_ms)`);
  const { compared, different, indexes } = rows[0] as { compared: string; different: string; indexes: string };
  if (compared === "0" || different !== "0" || indexes !== "1") {
    throw new Error(
      `Of ${compared} copies ${different} are not like their originals; kinds of partitions: ${indexes}.`,
    );
  }
  await client.query(`
    drop table ingest.bench_seed;
    drop function ingest.bench_derived, ingest.bench_ms, ingest.bench_project, ingest.bench_uuid, ingest.bench_span_id,
      ingest.bench_id`);
}

async function finish(client: Client): Promise<void> {
  for (const table of scopedTables) await client.query(`alter table ingest.${table} force row level security`);
  // The data beside the rows takes ten times as long to scan, and has no dead entries.
  for (const table of scopedTables) await client.query(`vacuum (analyze, process_toast false) ingest.${table}`);
}
