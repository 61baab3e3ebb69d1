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
  "known already": { instead: "duplicate" },
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
