import { formatCommand } from "../../base/command-line.ts";
import type { Stage } from "./protocol.ts";

/** What the advice may depend on. */
export type Circumstances = {
  readonly stage: Stage;
  readonly sql: string;
  /** As configured, for example `600MB`. */
  readonly memoryLimit: string;
  readonly memoryName?: string | undefined;
  /** The one source that is seen. */
  readonly source?: string | undefined;
};

type Advice = {
  readonly when: RegExp;
  /** Replaces a misleading text of the database. */
  readonly text?: string;
  /** The query needs something outside of the sandbox. */
  readonly isConfinement?: true;
  readonly hint: (match: RegExpMatchArray, circumstances: Circumstances) => string | undefined;
};

const confinement =
  "a query can read only the tables of the published file: no other file, network or extension";
const tables = `list the tables with "show tables", their columns with "describe events"`;

const ofSource = "with --source, only the tables of the data contract are available";

// What other logs call columns of events.
const otherNames: Readonly<Record<string, string>> = {
  action: "event_name",
  date: "event_date",
  email: "actor_email",
  event: "event_name",
  ip: "ip_address",
  result: "outcome",
  status: "outcome",
  time: "event_time",
  timestamp: "event_time",
  user: "actor",
  username: "actor",
};

const advices: readonly Advice[] = [
  {
    when: /Out of Memory|Allocation failure|bad_alloc/,
    text: "Out of Memory Error: the query needs more memory than its limit",
    hint: (_, { memoryLimit, memoryName = "memory_limit" }) =>
      `request less, such as a shorter range of event_time, or raise ${memoryName} (${memoryLimit}) in the configuration`,
  },
  {
    when: /Could not set lock on file/,
    text: "IO Error: another program has the published file open for writing",
    hint: () => "close it there, or open it read-only there",
  },
  {
    when: /exists in the \w+ extension|Extension Autoloading|INSTALL \w+/,
    isConfinement: true,
    hint: () => confinement,
  },
  {
    when: /Permission Error|file logging|external access/i,
    isConfinement: true,
    hint: () => confinement,
  },
  {
    when: /Table with name (.+) does not exist/,
    hint: ([, name = ""], { source }) =>
      [
        ...(/[./\\:*]/.test(name) ? [confinement] : []),
        ...(source === undefined ? [] : [ofSource]),
        tables,
      ].join("; "),
  },
  {
    when: /Referenced column "(.+?)" (?:not found|was not found because the FROM clause is missing)/,
    hint: ([, name = ""], { sql }) =>
      Object.hasOwn(otherNames, name.toLowerCase())
        ? `the column is ${otherNames[name.toLowerCase()]}, as in select ${otherNames[name.toLowerCase()]} from events`
        : sql.includes(`"${name}"`)
          ? `double quotes are for names, single quotes for text: '${name}'`
          : tables,
  },
  {
    when: /Conversion Error: invalid timestamp field format: "\s*(\d{1,4})\s*(?:(s)|(m)|(h)|(d)|(w))[a-z]*\s*"/i,
    hint: ([, number, ...units]) => {
      const unit = ["seconds", "minutes", "hours", "days", "weeks"][units.findIndex(Boolean)];
      return `for a time relative to now, write now() - interval '${number} ${unit}', as in event_time > now() - interval '7 days'`;
    },
  },
  {
    when: /invalid timestamp field format/,
    hint: () => "write a time as timestamp '2026-01-31 10:00:00' (UTC)",
  },
  {
    when: /Conversion Error|Could not convert/,
    hint: () => "try_cast(… as …) gives null where a value does not fit",
  },
  {
    when: /Cannot compare values of type TIMESTAMP/,
    hint: () => "write a time as timestamp '2026-01-31 10:00:00' (UTC)",
  },
  {
    when: /syntax error at end of input|unterminated quoted/,
    hint: () => "a bracket, a quote or a clause is still open at the end",
  },
];

const opening: Advice = {
  when: /./,
  hint: () => `the published file cannot be read; rewrite it with ${formatCommand("publish")}`,
};

/** What a query is confined to, where that is what the error of the database comes from. */
export function findConfinementHint(text: string): string | undefined {
  const advice = advices.find(({ when }) => when.test(text));
  return advice?.isConfinement ? confinement : undefined;
}

// These quote the value they stumbled over, which is a record's content.
const quotesValues = /^(Conversion|Invalid Input|Out of Range)/;
// Advice of the database that cannot be followed here: its settings are locked, and it names tables of its own.
const unusable =
  /^(Possible solutions:|\* |See also|Please try|INSTALL |LOAD |Did you mean "(?:pg_|published_file))/;

/**
 * Formats a database error for people: the database's own text on one line, the place in the statement if known, and
 * advice if the text is misleading. May contain control characters.
 */
export function adviseOn(text: string, circumstances: Circumstances): string {
  const [found, match] = findAdvice(text, circumstances);
  const hint = match && found?.hint(match, circumstances);
  const [first = "", place] = text
    .replace(/^Failed to \w+ statements: /, "")
    .split(/\n\n(?=LINE \d)/);
  const shown = quotesValues.test(first) ? first.replace(/(['"]).*\1/s, "'…'") : first;
  const lines = shown.split("\n").map((line) => line.trim());
  return [
    found?.text ?? lines.filter((line) => line !== "" && !unusable.test(line)).join(" "),
    ...(place === undefined || found?.text ? [] : [place]),
    ...(hint === undefined ? [] : [`hint: ${hint}`]),
  ].join("\n");
}

function findAdvice(
  text: string,
  { stage }: Circumstances,
): readonly [Advice, RegExpMatchArray] | readonly [] {
  for (const advice of stage === "open" ? [...advices, opening] : advices) {
    const match = advice.when.exec(text);
    if (match) return [advice, match];
  }
  return [];
}
