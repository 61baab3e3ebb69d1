import { type Random, newRandom } from "../../../../../fixtures/random.ts";

// Statements made of pieces that are easily misread. The meaning of each is known by its construction, or from the
// database; nothing here parses a statement.

/** Tables that the statements are of, and views on those that come before them. */
export const tables = ["event_rows", "user_history", "quarantine"] as const;
export const views: Readonly<Record<string, string>> = {
  users: "select x + 10 as x from user_history",
  events: "select e.x + u.x as x from event_rows as e, users as u",
  denials: "with kept as (select x from events) select x + 100 as x from kept",
};
const known = [...tables, ...Object.keys(views)];

const inside = [
  "a--b",
  "/* ",
  " */",
  "from event_rows",
  "join users",
  "$since",
  ";",
  "x, quarantine",
  "with",
];

/** Text of a piece of a statement, and what the engine is to be sent of it. */
type Part = readonly [text: string, sent: string];

const same = (text: string): Part => [text, text];

function hostile(random: Random, quotes: readonly string[]): string {
  const some = Array.from({ length: random.int(0, 3) }, () => random.pick([...inside, ...quotes]));
  return some.join(" ");
}

/** A comment, in a line or a block, with quotes that nothing closes. */
function comment(random: Random): string {
  const said = hostile(random, ["it's", 'a "b', "''"]);
  if (random.chance(0.5)) return `--${said}${random.pick(["\n", "\r\n"])}`;
  const text = said.replaceAll(/\/\*|\*\//g, "*");
  const inner = random.chance(0.3) ? `/* ${text} */` : text;
  return `/*${random.pick(["", "'", '"', "-", "/", "*"])} ${inner} */`;
}

const makeString = (random: Random): string => `'${hostile(random, ["it''s", 'a "b', "''"])}'`;
const makeQuoted = (random: Random): string => `"q${hostile(random, ["it's", 'a ""b', "''"])}"`;

/** A row of pieces that is no statement, with what is to be sent of it but for spaces, and the parameters in it. */
export function piecesFrom(seed: number, round: number): { text: string; sent: string } {
  const random = newRandom(seed, `pieces ${round}`);
  const parts = Array.from({ length: random.int(1, 12) }, (): Part => {
    const kinds: readonly (() => Part)[] = [
      () => same(makeString(random)),
      () => same(makeQuoted(random)),
      () => [comment(random), " "],
      () => ["$since", "?"],
      () =>
        same(
          random.pick([
            "select",
            "x",
            "1e4",
            "a$since",
            "-",
            "/",
            "*",
            "(",
            ")",
            "=",
            ",",
            "1.5",
            "ä",
          ]),
        ),
    ];
    return random.pick(kinds)();
  });
  const join = (at: 0 | 1): string => parts.map((part) => part[at]).join(" ");
  return { text: join(0), sent: join(1) };
}

/** A statement of which the database can say what it gives. */
export function statementFrom(seed: number, round: number): string {
  const random = newRandom(seed, `statement ${round}`);
  const isRecursive = random.chance(0.2);
  const own = [
    ...new Set(
      Array.from({ length: random.int(0, 3) }, () => random.pick([...known, "own", "mine"])),
    ),
  ];
  const queries = own.map((name, i) => {
    const seen = [...known, ...own.slice(0, i)];
    const grown = `select 1 as x union all select x + 1 from ${name} where x < 3`;
    const body =
      isRecursive && random.chance(0.5)
        ? grown
        : selectFrom(
            random,
            seen.filter((each) => !isRecursive || each !== name),
            1,
          );
    return `${spelt(random, name)}${isRecursive || random.chance(0.2) ? " (x)" : ""} as${gap(random)}(${body})`;
  });
  const list =
    queries.length === 0
      ? ""
      : `${word(random, "with")}${gap(random)}${isRecursive ? "recursive " : ""}${queries.join(`,${gap(random)}`)}${gap(random)}`;
  return `${gap(random)}${list}${selectFrom(random, [...known, ...own], 2)}${random.pick(["", ";", " ; ", "-- it's over"])}`;
}

function selectFrom(random: Random, names: readonly string[], depth: number): string {
  const at = Array.from({ length: random.int(1, 3) }, (_, i) => `r${i}`);
  const joins = [",", "cross join", ", ", "inner join"];
  let from = "";
  for (const [i, name] of at.entries()) {
    const join = i === 0 ? "" : random.pick(joins);
    const on = join === "inner join" ? ` on ${name}.x <> 2` : "";
    from += `${gap(random)}${join}${gap(random)}${relation(random, names, name, depth)}${on}`;
  }
  const texts = random.chance(0.4)
    ? `, ${makeString(random)} as ${random.pick([...known, makeQuoted(random)])}`
    : "";
  const sum = at.map((name) => `sum(${name}.x)`).join(" + ");
  const where = random.chance(0.3)
    ? ` where r0.x not in (select x from ${spelt(random, random.pick(names))})`
    : "";
  const shown = depth === 2 ? texts : "";
  return `${word(random, "select")}${gap(random)}${sum} as x${shown} ${word(random, "from")}${from}${where}`;
}

function relation(random: Random, names: readonly string[], as: string, depth: number): string {
  const name = spelt(random, random.pick(names));
  const forms = [
    () => `${name} as ${as}`,
    () => `${name} ${as}`,
    () => `(select x from ${name}) as ${as}`,
    () => `(${gap(random)}table ${name}) as ${as}`,
    () => `((select x from ${name}) union all (select x from ${random.pick(names)})) as ${as}`,
    () => (depth === 0 ? `${name} as ${as}` : `(${selectFrom(random, names, depth - 1)}) as ${as}`),
  ];
  return random.pick(forms)();
}

function spelt(random: Random, name: string): string {
  return random.pick([name, name, name.toUpperCase(), `"${name}"`]);
}

const word = (random: Random, text: string): string => random.pick([text, text.toUpperCase()]);

function gap(random: Random): string {
  return random.pick([" ", "\n", ` ${comment(random)} `, "\t"]);
}
