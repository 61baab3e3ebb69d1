import { globSync, readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { projectPath } from "./docs/pages.ts";

// The field has a word for each of these. Names that are public, or stand in files of older versions, are let alone.

const given: Readonly<Record<string, { readonly instead: string; readonly but?: RegExp }>> = {
  // The former key of the configuration works for one more version.
  "settle\\w*": { instead: "the verb of what is done", but: /schemas\/config\.ts$/ },
  "frontier\\w*": { instead: "watermark" },
  // What databases of version 1 hold.
  "[sS]ealed": { instead: "finalized", but: /queries\/upgrade\// },
  "belated\\w*": { instead: "late-arriving" },
  granule: { instead: "resolution" },
  // A view and two columns of the data contract.
  stretch: { instead: "interval", but: /\.sql$|columns\.json$|6-pipeline\.json$|tables\.md$/ },
  "(?:Held|Zone)?[Ss]tretch(?:es)?Of|HeldStretch|ZoneStretch": { instead: "interval" },
  "(?:is)?[Hh]eed(?:s|ed|ing)": { instead: "honours the range" },
  "[Ww]orkshop": { instead: "rebuild context" },
  "stones?|bury|buried": { instead: "tombstone" },
  "teller|isNightly|nightlyRange|nightly (?:run|range|read)s?": { instead: "scheduled run" },
  // Columns, and why a holding is not sure.
  "(?:in|of the|ends the) doubt|doubted": { instead: "ambiguous, uncertain", but: /\.json$|\.md$/ },
  "known already": { instead: "duplicate" },
  "vanished (?:at|from) the \\w+": { instead: "missing at the source" },
  // The ledger, its columns and what a file is imported by are called reads.
  "Read(?:Task|Plan|Queue|Job)|(?:Planned|Landed|new)Read(?:Queue)?|planReads|[sS]econdReads": {
    instead: "fetch",
  },
  // An answer may be cut off; a window is never.
  "cut in (?:time|two)|cut any further|cutting (?:it|the window)|windows? (?:\\w+ )+cut(?! off)|(?:cannot|not to|to) be cut(?! off)":
    { instead: "split" },
};

const files = globSync("{pipeline,schemas,queries,docs}/**/*.{ts,sql,json,md}", {
  cwd: projectPath("."),
  // Migrations are never changed; what is generated follows from what is looked at.
  exclude: (path) => /generated|schemas\/tables/.test(path),
});

it.each(Object.entries(given))("%s gives way", (word, { instead, but }) => {
  const pattern = new RegExp(`(?<![\\w$])(?:${word})(?![\\w$])`);
  const found = files
    .filter((file) => but?.test(file) !== true)
    .flatMap((file) =>
      readFileSync(projectPath(file), "utf8")
        .split("\n")
        .flatMap((line, i) => (pattern.test(line) ? [`${file}:${i + 1}: say ${instead}`] : [])),
    );
  expect(files.length).toBeGreaterThan(500);
  expect(found).toEqual([]);
});

// What names in code are made of: `sayTo` of "say" and "to". Text that people read may use these words.

type InNames = {
  readonly instead: string;
  readonly only?: RegExp;
  readonly but?: readonly string[];
};

const inNames: Readonly<Record<string, InNames>> = {
  "say|says|said|saying|sayer": { instead: "print, or what the text is" },
  // `told` stands in the file that a schedule keeps, `tell_rows` in the configuration.
  "tell|tells|told|telling": {
    instead: "print, notify, or what it is",
    but: ["told", "tell_rows"],
  },
  // A column of `delivery_runs` and `activation_runs`, and the notices of deliveries, are called so.
  doubtful: { instead: "uncertain", only: /^pipeline\/(?:deliver|activate|export)\// },
  // `night` is the key that lakes of earlier versions have.
  "night|nights": {
    instead: "publication",
    only: /^pipeline\/(?:commands\/)?lake\//,
    but: ["night"],
  },
  "turn|turns|head": { instead: "entry, queue", only: /^pipeline\/ingest\// },
  // A key of an answer to a program that talks to a language model is called so.
  "cut|cuts|uncut": { instead: "split, truncate", but: ["cut_off"] },
  shop: { instead: "context" },
  // What is set aside may be called so.
  aside: { instead: "a backup, or what is set aside", but: ["setAside", "listSetAside"] },
  // A column of the ledger, and so a key of `status --json`, is called so.
  vanished: {
    instead: "missing at the source",
    only: /^(?!pipeline\/status\/|pipeline\/store\/ledger\/record\.ts)/,
  },
};

// Comments, expressions, texts and templates; what a template names is declared elsewhere.
const notCode = new RegExp(
  [
    /\/\*[^]*?\*\/|\/\/[^\n]*/,
    /(?<=[=(,:!&|?{};]\s*)\/(?:\\.|\[(?:\\.|[^\]\n])*\]|[^/\\\n[])+\//,
    /"(?:\\.|[^"\\\n])*"/,
    /`(?:\\.|\$\{(?:[^{}`]|`[^`]*`|\{[^{}]*\})*\}|[^`\\])*`/,
  ]
    .map(({ source }) => source)
    .join("|"),
  "g",
);

const namesIn = (text: string): string[] => [
  ...new Set(text.replaceAll(notCode, " ").match(/[A-Za-z_]\w*/g)),
];

const code = globSync("{pipeline,schemas}/**/*.ts", {
  cwd: projectPath("."),
  exclude: (path) => path.includes("generated"),
}).map((file) => ({ file, names: namesIn(readFileSync(projectPath(file), "utf8")) }));

it.each(Object.entries(inNames))(
  "no name is made of %s",
  (words, { instead, only = /./, but = [] }) => {
    const word = new RegExp(`^(?:${words})$`);
    const parts = (name: string): string[] =>
      name.split(/_|(?<=[a-z0-9])(?=[A-Z])/).map((part) => part.toLowerCase());
    const found = code
      .filter(({ file }) => only.test(file))
      .flatMap(({ file, names }) =>
        names
          .filter((name) => !but.includes(name) && parts(name).some((part) => word.test(part)))
          .map((name) => `${file}: ${name}: use ${instead}`),
      );
    expect(code.length).toBeGreaterThan(500);
    expect(found).toEqual([]);
  },
);

// The comments of a file, each as one line: lines that begin alike belong together.
function commentsOf(text: string, mark: "--" | "//"): string[] {
  const inLines = new RegExp(`(?:^[ \\t]*${mark} ?.*\\n)+`, "gm");
  const blocks = mark === "//" ? [...text.matchAll(/^[ \t]*\/\*\*([^]*?)\*\//gm)] : [];
  return [
    ...blocks.map(([, inside]) => inside!.replaceAll(/^[ \t]*\* ?/gm, "")),
    ...[...text.matchAll(inLines)].map(([all]) => all.replaceAll(/^[ \t]*(?:--|\/\/) ?/gm, "")),
  ];
}

// The header of a report is no prose, and each point of a list is a sentence of its own.
function sentencesOf(comment: string): string[] {
  const prose = comment.replaceAll(/^(?:title|family|grain|param|chart|order|about):.*$/gm, "");
  const ends = /\n(?=\s*\n|- |\|)|(?<=[.!?])\)?\s+/;
  return prose.split(ends).map((sentence) => sentence.replaceAll(/\s+/g, " ").trim());
}

const maxWords = 25;

it.each([
  "pipeline/**/*.ts",
  "schemas/**/*.ts",
  "queries/**/*.sql",
  "fixtures/**/*.ts",
  "test/**/*.ts",
])(`no comment of %s has a sentence of more than ${maxWords} words`, (pattern) => {
  const all = globSync(pattern, {
    cwd: projectPath("."),
    exclude: (path) => path.includes("generated"),
  });
  const long = all.flatMap((file) => {
    const text = readFileSync(projectPath(file), "utf8");
    const sentences = commentsOf(text, file.endsWith(".sql") ? "--" : "//").flatMap(sentencesOf);
    const isLong = (sentence: string): boolean =>
      sentence.split(" ").filter((word) => /\w/.test(word)).length > maxWords;
    return sentences.filter(isLong).map((sentence) => `${file}: ${sentence}`);
  });
  expect(all.length).toBeGreaterThan(40);
  expect(long).toEqual([]);
});
