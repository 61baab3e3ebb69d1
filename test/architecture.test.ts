import { globSync, readFileSync } from "node:fs";
import { basename, dirname, join, normalize } from "node:path";
import { describe, expect, it } from "vitest";
import { projectPath } from "./docs/pages.ts";

// Reads the module table of docs/architecture.md and compares it with the imports, those of types included.

const page = readFileSync(projectPath("docs/architecture.md"), "utf8");
const [, table = ""] = /## Modules\n([^]*?)\n## /.exec(page) ?? [];
const layers = [...table.matchAll(/^\| \*\*([a-z]+)\*\* \|/gm)].map(([, name]) => name!);
const modules = [...table.matchAll(/^\| `([a-z]+\/[a-z-]+)` \|/gm)].map(([, name]) => name!);

const root = projectPath("pipeline");
const files = globSync("**/*.ts", { cwd: root });

// Includes type imports and lazy imports.
function readImports(file: string, folder = root): string[] {
  const text = readFileSync(join(folder, file), "utf8");
  return [...text.matchAll(/(?:\bfrom|\bimport)\s*\(?\s*"(\.{1,2}\/[^"]+)"/g)]
    .map(([, path]) => normalize(join(dirname(file), path!)))
    .filter((path) => !path.startsWith(".."));
}

const readLayer = (file: string): string => (file.includes("/") ? file.split("/")[0]! : "cli");

// A command and its helpers are one module; so are the files directly in a layer's folder.
function readModule(file: string): string {
  const parts = file.split("/");
  return readLayer(file) === "cli" || parts.length < 3
    ? readLayer(file)
    : `${parts[0]}/${parts[1]}`;
}

type Station = { readonly file: string; readonly depth: number };

// The lines of the drawing, each with the file that it names and how far it is indented.
function wayIn(page: string, title: string): Station[] {
  const [, drawn = ""] = new RegExp(`## ${title}\n\n\`\`\`\n(.*?)\`\`\``, "s").exec(page) ?? [];
  const lines = drawn.split("\n").map((line) => /^( *)([a-z/-]+\.ts) /.exec(line));
  return lines.flatMap((found) => (found ? [{ file: found[2]!, depth: found[1]!.length }] : []));
}

// Imports at run time, without types.
function readCalls(file: string): string[] {
  const text = readFileSync(join(root, file), "utf8");
  const own = text.replaceAll(/^import type [^;]*;\n/gm, "");
  return readImports(file).filter((used) => own.includes(`/${basename(used)}"`));
}

const uses = files.flatMap((file) => readImports(file).map((used) => ({ file, used })));

// Maps the type of a target to its destination.
const registry = "outgoing/registry.ts";

describe("the architecture", () => {
  it("has a row for each layer and module", () => {
    const found = new Set(files.map(readModule).filter((name) => name.includes("/")));
    expect(layers).toEqual(["cli", "adapters", "outgoing", "answers", "core", "base"]);
    expect([...found].sort()).toEqual([...modules].sort());
    expect(modules.filter((name) => !layers.includes(name.split("/")[0]!))).toEqual([]);
  });

  it("imports downwards", () => {
    const rank = (file: string): number => layers.indexOf(readLayer(file));
    const wrong = uses.filter(({ file, used }) => file !== registry && rank(used) < rank(file));
    expect(uses.length).toBeGreaterThan(2000);
    expect(wrong.map(({ file, used }) => `${file} imports ${used}`)).toEqual([]);
  });

  it("imports adapters from below in the registry alone, and only destinations", () => {
    const imported = readImports(registry).filter((used) => readLayer(used) === "adapters");
    expect(imported.filter((used) => !used.startsWith("adapters/destinations/"))).toEqual([]);
    expect(imported).not.toEqual([]);
  });

  it("has no module that imports itself through others", () => {
    const next = (from: string): string[] =>
      uses
        .filter(({ file, used }) => readModule(file) === from && readModule(used) !== from)
        .map(({ used }) => readModule(used));
    const graph = new Map(
      ["cli", "outgoing", "base", ...modules].map((name) => [name, next(name)]),
    );
    const reach = (from: string, seen: Set<string>): Set<string> => {
      for (const to of graph.get(from) ?? []) if (!seen.has(to)) reach(to, seen.add(to));
      return seen;
    };
    expect([...graph.keys()].filter((name) => reach(name, new Set()).has(name))).toEqual([]);
  });

  it("knows commander in cli alone", () => {
    const registers = files.filter((file) =>
      /from "commander"|\.(?:command|action)\(/.test(readFileSync(join(root, file), "utf8")),
    );
    expect(registers.filter((file) => readLayer(file) !== "cli")).toEqual([]);
  });

  it("imports fixtures in simulate and demo alone, and nothing from tests", () => {
    const outside = (file: string): string[] =>
      [...readFileSync(join(root, file), "utf8").matchAll(/"(?:\.\.\/)+(fixtures|test)\//g)].map(
        ([, top]) => `${file} imports ${top}`,
      );
    const found = files.flatMap(outside);
    const allowed = /^cli\/(?:simulate|demo)\b.* imports fixtures$/;
    expect(found.filter((line) => !allowed.test(line))).toEqual([]);
    expect(found).not.toEqual([]);
  });

  it("describes data in schemas without an import from another folder", () => {
    const schemas = globSync("schemas/**/*.ts", { cwd: projectPath(".") });
    const wrong = schemas.filter((file) =>
      /"(?:\.\.\/)+(?:pipeline|fixtures|test)\//.test(readFileSync(projectPath(file), "utf8")),
    );
    expect(schemas.length).toBeGreaterThan(20);
    expect(wrong).toEqual([]);
  });

  it("contains nothing that only tests use, except the program whose help the docs show", () => {
    const others = globSync(["{schemas,fixtures}/**/*.ts", "rolldown.*.ts"], {
      cwd: projectPath("."),
    }).map((file) => readFileSync(projectPath(file), "utf8"));
    const own = files.map((file) => readFileSync(join(root, file), "utf8"));
    const words = Map.groupBy([...own, ...others].join("\n").match(/[A-Za-z_$][\w$]*/g)!, String);
    const exported = /^export (?:async )?(?:function\*?|const|class|type) ([\w$]+)/gm;
    const names = own.flatMap((text) => [...text.matchAll(exported)].map(([, name]) => name!));
    expect(names.length).toBeGreaterThan(1000);
    expect(names.filter((name) => words.get(name)!.length < 2)).toEqual(["loadWholeProgram"]);
  });

  it.each(["pipeline", "schemas", "fixtures", "test"])(
    "has no file of %s that imports itself by way of others",
    (top) => {
      const folder = projectPath(top);
      const below = globSync("**/*.ts", { cwd: folder });
      const imports = new Map(below.map((file) => [file, readImports(file, folder)]));
      const done = new Set<string>();
      const circles: string[] = [];
      const walk = (file: string, way: readonly string[]): void => {
        if (way.includes(file)) circles.push([...way.slice(way.indexOf(file)), file].join(" > "));
        if (way.includes(file) || done.has(file)) return;
        for (const used of imports.get(file) ?? []) walk(used, [...way, file]);
        done.add(file);
      };
      for (const file of below) walk(file, []);
      expect(circles).toEqual([]);
    },
  );
});

it("has a line for each folder of queries", () => {
  const page = readFileSync(projectPath("queries/README.md"), "utf8");
  const folders = globSync("*/", { cwd: projectPath("queries") }).map((path) =>
    dirname(`${path}/x`),
  );
  expect(folders.length).toBeGreaterThan(10);
  expect(folders.filter((name) => !page.includes(`\`${name.replace(/\/$/, "")}/`))).toEqual([]);
});

describe("the table of where to change what", () => {
  const rows = [...page.matchAll(/^\| ([^|`]+) \| `([^`]+)`[^|]* \| `([^|]+)` \|$/gm)].map(
    ([, what, file, words]) => ({ what: what!, file: file!, words: words! }),
  );

  it("answers the first questions of new readers", () => {
    expect(rows.length).toBeGreaterThan(15);
    const all = rows.map(({ what }) => what).join("\n");
    for (const asked of [/denial/, /429/, /one event/, /apostrophe/, /cron.* tie/])
      expect(all).toMatch(asked);
  });

  it.each(rows)("$what: $file", ({ file, words }) => {
    const text = readFileSync(projectPath(file), "utf8").replaceAll(/\s+(?:\*|\/\/|--)\s+/g, " ");
    expect(text).toContain(words);
  });
});

describe("the list of files on disk", () => {
  const [, table = ""] = /## On disk\n\n([^]*?)(?:\n## |$)/.exec(page)!;
  const findNamed = (cell: string): string[] =>
    [...cell.matchAll(/`([^`]+)`/g)].map(([, name]) => name!);
  const rows = table.split("\n").slice(2).filter(Boolean);
  const cells = rows.map((row) => row.split("|").slice(1, -1).map(findNamed));
  const readText = (file: string): string => readFileSync(join(root, file), "utf8");

  it("lists everything that the code writes below the home", () => {
    const places = files.flatMap((file) =>
      [...readText(file).matchAll(/join\((?:[\w.]*\bhome\.)?root, "([^"]+)"/g)].map(
        ([, name]) => name!,
      ),
    );
    expect(new Set(places).size).toBeGreaterThan(12);
    const documented = findNamed(table).map((name) => name.split("/")[0]!);
    const undocumented = places.filter(
      (name) => !documented.includes(name) && !documented.includes(`${name}.sqlite`),
    );
    expect(undocumented).toEqual([]);
  });

  it.each(cells.flatMap(([paths, , by]) => paths!.map((path) => ({ path, by: by! }))))(
    "$path is written by the module that the list names",
    ({ path, by }) => {
      const name = basename(path).replace(/\.sqlite$/, "");
      const writers = new Set(by.map(readModule)).add("base/home");
      expect(by.filter((file) => !files.includes(file))).toEqual([]);
      const there = files.filter((file) => writers.has(readModule(file)) || by.includes(file));
      expect(there.some((file) => readText(file).includes(`"${name}"`))).toBe(true);
    },
  );
});

const ways: readonly (readonly [title: string, most: number, ends: readonly string[]])[] = [
  [
    "Path of a record",
    20,
    [
      "cli/ingest.ts",
      "core/source/client.ts",
      "core/source/ending.ts",
      "core/landing/pack.ts",
      "core/load/verdict.ts",
      "core/store/loading/insert.ts",
      "core/store/publish.ts",
    ],
  ],
  [
    "Path of a report",
    10,
    ["cli/report.ts", "base/sql/select.ts", "answers/report/render/table.ts"],
  ],
];

describe.each(ways)("the diagram of %s", (title, most, ends) => {
  const way = wayIn(page, title);

  it("passes through few files, and only those that are drawn", () => {
    expect(way.length).toBeLessThanOrEqual(most);
    expect(way.map(({ file }) => file)).toEqual(expect.arrayContaining([...ends]));
  });

  it("shows an arrow exactly where one file uses another", () => {
    const wrong = way.slice(1).filter(({ file, depth }, i) => {
      const above = way.slice(0, i + 1).findLast((one) => one.depth < depth);
      return above === undefined || !readImports(above.file).includes(file);
    });
    expect(wrong).toEqual([]);
  });

  it("never points to a higher layer, not even through other files", () => {
    const reach = (file: string, seen: Set<string>): Set<string> => {
      for (const used of readCalls(file)) if (!seen.has(used)) reach(used, seen.add(used));
      return seen;
    };
    const back = way.flatMap(({ file }, i) => {
      const reached = reach(file, new Set());
      const above = way.slice(0, i).filter((one) => reached.has(one.file));
      return above.map((one) => `${file} reaches ${one.file}`);
    });
    expect(back).toEqual([]);
  });
});
