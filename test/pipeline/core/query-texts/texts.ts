import { type Random, newRandom } from "../../../../fixtures/random.ts";
import type { Dialect } from "../../../../pipeline/core/query-texts/language.ts";

// Texts whose tables are known because each piece of them is written together with what it touches. Nothing here parses.

/** A text, and what it touches: `statement kind database.table access`, sorted. */
export type MadeText = {
  readonly dialect: Dialect;
  readonly text: string;
  readonly truth: readonly string[];
};

/** What a text touches that names no database of its own. */
export const ownDatabase = "own_db";

type Scene = {
  readonly random: Random;
  readonly dialect: Dialect;
  readonly found: Set<string>;
  /** Names of queries where something is written now. */
  readonly named: readonly string[];
  readonly depth: number;
};

/** The text of a seed. */
export function makeText(seed: number): MadeText {
  const random = newRandom(seed, "texts");
  const dialect = random.chance(0.5) ? "trino" : "hive";
  const truth: string[] = [];
  const count = random.chance(0.2) ? random.int(2, 3) : 1;
  const statements = Array.from({ length: count }, (_, i) => {
    const found = new Set<string>();
    const [kind, text] = statement({ random, dialect, found, named: [], depth: 0 });
    truth.push(...[...found].map((each) => `${i + 1} ${kind} ${each}`));
    return text;
  });
  const text = statements.join(random.pick([";", " ;\n", ";\n\n"])) + random.pick(["", ";", " ; "]);
  return { dialect, text: noisy(random, text), truth: [...new Set(truth)].sort() };
}

type Maker = (scene: Scene) => [kind: string, text: string];

function statement(scene: Scene): [string, string] {
  return scene.random.pick(scene.dialect === "trino" ? trinoMakers : hiveMakers)(scene);
}

const select: Maker = (scene) => ["select", query(scene)];
const trinoMakers: readonly Maker[] = [
  ...Array.from({ length: 8 }, () => select),
  (s) => ["insert", `insert into ${write(s)} ${query(s)}`],
  (s) => ["insert", `INSERT INTO ${write(s)} (a, b) ${query(s)}`],
  (s) => ["create_table_as", `create table if not exists ${write(s)} as ${query(s)}`],
  (s) => ["create_table_as", `create table ${write(s)} with (format = 'orc') as (${query(s)})`],
  (s) => ["create_view", `create or replace view ${write(s)} as ${query(s)}`],
  (s) => ["create_table", `create table ${write(s)} (a bigint, "from" varchar)`],
  (s) => ["delete", `delete from ${write(s)} where a in (${query(s)})`],
  (s) => ["drop", `drop table if exists ${write(s)}`],
  (s) => ["truncate", `truncate table ${write(s)}`],
  (s) => ["update", `update ${write(s)} set a = 1, b = (${query(s)}) where b > 2`],
  (s) => ["alter", `alter table ${write(s)} add column z bigint`],
  (s) => ["merge", merge(s)],
];

const hiveMakers: readonly Maker[] = [
  ...Array.from({ length: 8 }, () => select),
  (s) => ["insert", `insert into table ${write(s)} ${plain(s)}`],
  (s) => ["insert_overwrite", `insert overwrite table ${write(s)} partition (d = '1') ${plain(s)}`],
  (s) => ["insert", `from ${relation(s)} insert into table ${write(s)} select a, b where a > 1`],
  (s) => ["insert_overwrite", severalInserts(s)],
  (s) => ["create_table_as", `create table ${write(s)} stored as orc as ${plain(s)}`],
  (s) => ["create_table", `create external table if not exists ${write(s)} (a int, b string)`],
  (s) => ["drop", `drop table if exists ${write(s)} purge`],
  (s) => ["truncate", `truncate table ${write(s)}`],
  (s) => ["alter_drop", `alter table ${write(s)} drop if exists partition (d = '1')`],
  (s) => ["delete", `delete from ${write(s)} where a = 1`],
  (s) => ["load", `load data inpath '/from/x.y' into table ${write(s)}`],
  (s) => ["load_overwrite", `load data inpath '/from/x.y' overwrite into table ${write(s)}`],
];

function merge(s: Scene): string {
  const source = s.random.chance(0.5) ? `${read(s)} as m` : `(${query(s)}) as m`;
  const target = write(s);
  return `merge into ${target} as t using ${source} on t.a = m.a when matched then update set b = m.b when not matched then insert (a, b) values (m.a, m.b)`;
}

function severalInserts(s: Scene): string {
  const into = [1, 2].map(
    () => `insert overwrite table ${write(s)} select a, count(1) where b = 'x' group by a`,
  );
  return `from (${plain(deeper(s))}) q\n${into.join("\n")}`;
}

const deeper = (s: Scene): Scene => ({ ...s, depth: s.depth + 1 });

function query(s: Scene): string {
  const { random } = s;
  if (s.depth > 0 && s.dialect === "hive") return plain(s);
  if (s.depth > 2 || random.chance(0.6)) return plain(s);
  const before: string[] = [];
  const parts = Array.from({ length: random.int(1, 3) }, () => {
    const name = random.pick(queryNames);
    if (before.includes(name)) return [];
    const body = plain(deeper({ ...s, named: [...s.named, ...before] }));
    before.push(name);
    return [`${changeCase(random, name)} as (${body})`];
  }).flat();
  return `with ${parts.join(",\n")} ${plain(deeper({ ...s, named: [...s.named, ...before] }))}`;
}

function plain(s: Scene): string {
  const one = block(s);
  if (s.depth > 2 || !s.random.chance(0.15)) return one;
  return `${one}\nunion all\n${block(deeper(s))}`;
}

function block(s: Scene): string {
  const { random } = s;
  const from = relation(s);
  const joins = Array.from({ length: random.int(0, 2) }, (_, i) =>
    random.pick([
      () => `join ${relation(s, `j${i}`)} on 1 = 1`,
      () => `left outer join ${relation(s, `j${i}`)} on x.a = j${i}.a`,
      () => `cross join ${relation(s, `j${i}`)}`,
    ])(),
  );
  const list = s.dialect === "trino" ? `unnest(xs) as u${random.int(1, 9)} (y)` : "";
  const lateral =
    s.dialect === "hive" && random.chance(0.2) ? " lateral view explode(xs) lv as y" : "";
  const listed = list !== "" && random.chance(0.2) ? `\ncross join ${list}` : "";
  return `select ${columns(s)}\nfrom ${from}${lateral} ${joins.join(" ")}${listed}${where(s)}`;
}

function columns({ random }: Scene): string {
  return random.pick([
    "*",
    "x.*",
    "a, b",
    "count(*) as n",
    "'from x.y' as s, a",
    "max(case when a = 1 then 2 end)",
  ]);
}

function where(s: Scene): string {
  const { random } = s;
  const dice = random.next();
  if (dice < 0.3) return "";
  if (dice < 0.5) return ` where c = 'it''s; drop table a.b' -- from no.where\n`;
  if (dice < 0.65 || s.depth > 2) return " where a between 1 and 2 and b is not null";
  const inner = plain(deeper(s));
  return random.chance(0.5) ? ` where x.a in (${inner})` : ` where exists (${inner})`;
}

// What a from can hold; a table is called x, so that columns may be, too.
function relation(s: Scene, alias = "x"): string {
  const { random } = s;
  const as = random.pick([" ", " as "]) + alias;
  if (s.depth < 3 && random.chance(0.2)) return `(${plain(deeper(s))})${as}`;
  if (s.named.length > 0 && random.chance(0.4))
    return changeCase(random, random.pick(s.named)) + as;
  return read(s) + as;
}

const queryNames = ["recent", "orders", "t1", "daily"];
const tableNames = ["orders", "recent", "web logs", "t1", "select", "events_2026", "daily", "from"];
const databases = ["sales", "crm", "Order", "raw_2"];

function read(s: Scene): string {
  return name(s, "read");
}

function write(s: Scene): string {
  // What is written is always a table, for any names of queries.
  return name({ ...s, named: [] }, "written");
}

function name(s: Scene, access: "read" | "written"): string {
  const { random } = s;
  const table = random.pick(tableNames);
  const dice = random.next();
  const isAlone = dice < 0.35;
  const database = isAlone ? ownDatabase : random.pick(databases).toLowerCase();
  // One name alone may be that of a query.
  if (!(isAlone && s.named.includes(table))) s.found.add(`${database}.${table} ${access}`);
  if (isAlone) return quoteName(s, table);
  const both = `${quoteName(s, database)}.${quoteName(s, table)}`;
  return dice > 0.9 && s.dialect === "trino" ? `lake.${both}` : both;
}

function quoteName({ random, dialect }: Scene, name: string): string {
  const quote = dialect === "trino" ? '"' : "`";
  const isPlain = /^[a-z_][a-z0-9_]*$/.test(name) && !["select", "from", "order"].includes(name);
  return isPlain && random.chance(0.7)
    ? changeCase(random, name)
    : `${quote}${changeCase(random, name)}${quote}`;
}

function changeCase(random: Random, name: string): string {
  return random.pick([name, name, name.toUpperCase(), name[0]!.toUpperCase() + name.slice(1)]);
}

// Comments wherever a line ends, and line breaks as some clients send them.
function noisy(random: Random, text: string): string {
  const lines = text.split("\n").map((line) => {
    const dice = random.next();
    if (line.includes("--")) return line;
    if (dice < 0.1) return `${line} -- insert into not.this; select`;
    if (dice < 0.2) return `${line} /* from not.that,\n 'nor this */`;
    return line;
  });
  return random.pick(["", "", "-- a job of the night\n", "/* by; hand */ "]) + lines.join("\n");
}
