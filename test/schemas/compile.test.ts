import { describe, expect, it, test } from "vitest";
import { CatalogError } from "../../schemas/catalog.ts";
import { extendCatalog, toCatalog, type SourceFile } from "../../schemas/compile.ts";
import { catalog, columnSets } from "../../schemas/generated/catalog.ts";
import { toTableRows } from "../../schemas/generators/rows.ts";

// What a person who edits the source by hand gets wrong, and whether the message finds it for them.

type Event = Readonly<Record<string, unknown>>;

const fields = {
  file: "schemas/fields.json",
  content: {
    fields: {
      id: { type: "text", meaning: "identifier" },
      count: { type: "integer", meaning: "number of items" },
    },
    sets: { IDN: ["id"] },
  },
};
const area = (name: string, events: readonly Event[], more: Event = {}): SourceFile => ({
  file: `schemas/catalog/${name.toLowerCase()}.json`,
  content: { area: name, ...more, events },
});
const thing = { event: "thing_run", operations: ["POST /things/:id/run"] };

function getProblem(...areas: SourceFile[]): string {
  try {
    toCatalog(fields, areas);
  } catch (error) {
    expect(error).toBeInstanceOf(CatalogError);
    return (error as Error).message;
  }
  return "no problem";
}

const wrong: Readonly<Record<string, [SourceFile[], RegExp]>> = {
  "an event defined twice": [
    [area("One", [thing, thing])],
    /^schemas\/catalog\/one\.json: thing_run of One is defined twice/,
  ],
  "an event of two files": [
    [area("One", [thing]), { ...area("One", [thing]), file: "schemas/catalog/two.json" }],
    /^schemas\/catalog\/two\.json: thing_run of One is defined twice, also in schemas\/catalog\/one\.json/,
  ],
  "events out of order": [
    [area("One", [thing, { event: "thing_make", operations: ["POST /things"] }])],
    /^schemas\/catalog\/one\.json: thing_make should precede thing_run/,
  ],
  "an unknown column": [
    [area("One", [{ ...thing, columns: ["IDN", "colour"] }])],
    /^schemas\/catalog\/one\.json: thing_run: colour is neither a record field nor a column set/,
  ],
  "an unknown column that every object has": [
    [area("One", [{ ...thing, columns: ["constructor"] }])],
    /thing_run: constructor is neither/,
  ],
  "an unknown optional column": [
    [area("One", [{ ...thing, optional_columns: ["colour"] }])],
    /thing_run: colour is neither/,
  ],
  "an unknown recorded column": [
    [area("One", [thing], { recorded: ["colour"] })],
    /^schemas\/catalog\/one\.json: recorded: colour is neither/,
  ],
  "a column listed twice": [
    [area("One", [{ ...thing, columns: ["IDN", "id"] }])],
    /thing_run: column id is listed twice/,
  ],
  "an operation without a verb": [
    [area("One", [{ event: "thing_run", operations: ["/things"] }])],
    /^schemas\/catalog\/one\.json: thing_run: operation "\/things" should read like/,
  ],
  "an operation with a query string": [
    [area("One", [{ event: "thing_run", operations: ["GET /things?all=1"] }])],
    /thing_run: operation "GET \/things\?all=1" should read like/,
  ],
  "a wildcard in the middle": [
    [area("One", [{ event: "thing_run", operations: ["GET /things/*/run"] }])],
    /thing_run: operation "GET \/things\/\*\/run" should read like/,
  ],
  "a path longer than the wildcard of its event": [
    [area("One", [{ event: "thing_run", operations: ["GET /things/*", "GET /things/:id/run"] }])],
    /one\.json: thing_run: \/things\/:id\/run is longer than \/things\/\*/,
  ],
  "an operation listed twice": [
    [
      area("One", [
        { event: "thing_run", operations: ["POST /things/:id", "POST /things/{thing}"] },
      ]),
    ],
    /one\.json: thing_run: operation POST \/things\/\{thing\} is listed twice/,
  ],
  "an operation of two variants": [
    [
      area("One", [
        { ...thing, variant: "a" },
        { ...thing, variant: "b" },
      ]),
    ],
    /one\.json: thing_run \(b\): operation POST \/things\/:id\/run is listed twice, also for thing_run \(a\)/,
  ],
  "an alias that is an event": [
    [
      area("One", [
        { event: "thing_make", operations: ["POST /things"], aliases: ["thing_run"] },
        thing,
      ]),
    ],
    /one\.json: thing_make: alias thing_run is an event of its own/,
  ],
  "an alias of two events": [
    [
      area("One", [{ ...thing, aliases: ["old"] }]),
      area("Two", [{ event: "other", operations: ["GET /x"], aliases: ["old"] }]),
    ],
    /two\.json: other: alias old belongs to thing_run/,
  ],
  "an alias by path alone": [
    [area("One", [{ ...thing, aliases: [{ name: "old", only_with_path: true }] }])],
    /one\.json: thing_run: alias old is only_with_path, but no event owns it/,
  ],
  "a denied result of an unknown area": [
    [area("One", [thing], { denied_result: listDenied("denied", "Tow") })],
    /one\.json: denied_result: there is no area Tow/,
  ],
  "a denied result decided twice": [
    [
      area("One", [thing], { denied_result: listDenied("denied", "One") }),
      area("Two", [], { denied_result: listDenied("denied", "One") }),
    ],
    /two\.json: denied_result: denied is decided for One already/,
  ],
  "a denied result in capitals": [
    [area("One", [thing], { denied_result: listDenied("Denied", "One") })],
    /one\.json: denied_result: Denied should be lower case/,
  ],
  "a misspelt key": [
    [area("One", [{ ...thing, colums: ["id"] }])],
    /^schemas\/catalog\/one\.json: thing_run: .*colums/,
  ],
  "an unknown denial kind": [
    [area("One", [{ ...thing, denial_kind: "refused" }])],
    /^schemas\/catalog\/one\.json: thing_run\.denial_kind: /,
  ],
  "no area": [
    [{ file: "schemas/catalog/none.json", content: { events: [] } }],
    /^schemas\/catalog\/none\.json: area: /,
  ],
  "no object": [
    [{ file: "schemas/catalog/none.json", content: [] }],
    /^schemas\/catalog\/none\.json: the file: /,
  ],
};

function listDenied(result: string, name: string): Event {
  return { event_result: result, denial_kind: "unauthorized_action", areas: [name] };
}

test.each(Object.entries(wrong))("%s is refused with file and key", (_what, [areas, message]) => {
  expect(getProblem(...areas)).toMatch(message);
});

it("the fields file is named too", () => {
  const bad = {
    file: "schemas/fields.json",
    content: { fields: { id: { type: "uuid" } }, sets: {} },
  };
  expect(() => toCatalog(bad, [])).toThrow(/^schemas\/fields\.json: fields\.id\.type: /);
});

describe("further files", () => {
  const extend = (...areas: SourceFile[]) => extendCatalog(catalog, columnSets, areas);

  it("add events in place and leave the rest unchanged", () => {
    const larger = extend(area("Mine", [{ ...thing, columns: ["IDN"] }]));
    expect(larger.entries).toHaveLength(catalog.entries.length + 1);
    const names = larger.entries.map((e) => e.event);
    expect(names).toEqual([...names].sort());
    const added = larger.entries.find((e) => e.event === "thing_run")!;
    expect(added.columns.map((c) => c.name)).toEqual(["id", "resource_id", "resource_name"]);
    expect(larger.entries.filter((e) => e !== added)).toEqual(catalog.entries);
  });

  it("add a variant of a known event", () => {
    const internal = {
      event: "table_create",
      variant: "internal",
      operations: ["POST /internal/tables"],
    };
    const larger = extend({ ...area("Table", [internal]), file: "mine.json" });
    expect(larger.entries.filter((e) => e.event === "table_create")).toHaveLength(2);
  });

  it.each([
    [
      "an event again",
      area("Jobs", [{ event: "job_kill" }]),
      /defined twice, also in the built-in/,
    ],
    [
      "a template again",
      area("Mine", [{ event: "job_kill", operations: ["DELETE /v4/jobs/{job}"] }]),
      /mine\.json: job_kill: operation DELETE \/v4\/jobs\/\{job\} is listed twice, also for job_kill of Jobs/,
    ],
    [
      "a taken alias",
      area("Mine", [{ ...thing, aliases: ["schedule_run"] }]),
      /belongs to query_run/,
    ],
    [
      "a decided result",
      area("Mine", [], { denied_result: listDenied("denied", "Audience area (legacy)") }),
      /mine\.json: denied_result: denied is decided for Audience area \(legacy\) already/,
    ],
  ])("are refused: %s", (_what, file, message) => {
    expect(() => extend(file)).toThrow(message);
  });

  it("the counts of entries and operations are unchanged when the catalog grows", () => {
    const rows = (of: typeof catalog, table: string): string[] =>
      toTableRows(of)
        .find((t) => t.table === table)!
        .rows.map((row) => JSON.stringify(row));
    const larger = extend(area("Mine", [thing]));
    for (const table of ["catalog_entries", "operation_texts"]) {
      const before = rows(catalog, table);
      const after = new Set(rows(larger, table));
      expect(before.filter((row) => !after.has(row))).toEqual([]);
      expect(after.size).toBe(before.length + 1);
    }
  });
});
