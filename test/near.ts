import { spawnSync } from "node:child_process";
import { existsSync, globSync, readFileSync } from "node:fs";
import { basename, dirname, join, normalize } from "node:path";
import { findNames } from "./support/named.ts";

// usage: node test/near.ts FILE [--all]: runs the tests that reach a file, nearest first: those that import it or
// name it (as a .sql file), then those that import its importers, and so on until there are enough. For a file
// without importers it runs the tests of the folder that mirrors its own.

const enough = 6;
const most = 16;
const slow = /\.simulation\.test\.ts$|^test\/(?:fault|browser|lake|engine)\//;

const [path = "", all] = process.argv.slice(2);
const file = normalize(path);
if (!existsSync(file)) {
  process.stderr.write(
    `near: there is no file ${path}; usage: make near FILE=pipeline/core/load/read.ts\n`,
  );
  process.exit(2);
}

// Each report has its answer there.
const goldens = "test/queries/golden.test.ts";
// A report is named by its own name, in quotes or as a key.
const reports = new Map(
  globSync("queries/reports/*/*.sql").map((report) => [basename(report, ".sql"), report]),
);
const importers = readImporters();
const tests = file.endsWith(".test.ts") ? [file] : findTests(file);
if (tests.length === 0) tests.push(...findMirrored(file));
const chosen = all === "--all" ? tests : tests.slice(0, most);
process.stdout.write(`${chosen.length} of ${tests.length} test files that reach ${file}\n`);
// Without a file to run it would run them all.
if (chosen.length === 0) process.exit(1);
const { status } = spawnSync("node_modules/.bin/vitest", ["run", ...chosen], { stdio: "inherit" });
process.exit(status ?? 1);

// Test files by their distance from the file; with --all however far, else up to the first level that makes them enough.
function findTests(start: string): string[] {
  const seen = new Set([start]);
  const found: string[] = [];
  for (let level = [start]; level.length > 0;) {
    level = [...new Set(level.flatMap((each) => [...(importers.get(each) ?? [])]))];
    level = level.filter((each) => !seen.has(each));
    for (const each of level) seen.add(each);
    found.push(...level.filter((each) => each.endsWith(".test.ts") && !slow.test(each)));
    if (all !== "--all" && found.length >= enough) break;
  }
  return found;
}

function findMirrored(start: string): string[] {
  for (let folder = dirname(start); folder !== "."; folder = dirname(folder)) {
    const found = globSync(`test/${folder}/**/*.test.ts`).filter((each) => !slow.test(each));
    if (found.length > 0) return found;
  }
  return [];
}

// Who imports each file, or names it: modules, .sql files, pages.
function readImporters(): Map<string, Set<string>> {
  const users = new Map<string, Set<string>>();
  const files = globSync("{queries,schemas,docs,pipeline}/**/*.*");
  for (const user of globSync(["{pipeline,schemas,fixtures,test}/**/*.ts", "queries/**/*.sql"])) {
    const text = readFileSync(user, "utf8");
    const imported = [...text.matchAll(/(?:\bfrom|\bimport)\s*\(?\s*"(\.{1,2}\/[^"]+)"/g)].map(
      ([, name]) => normalize(join(dirname(user), name!)),
    );
    const names = findNames(text);
    const named = files.filter((each) => names.some(({ covers }) => covers(each)));
    const words = user.startsWith("test/") ? [...text.matchAll(/"(\w+)"|\b(\w+):/g)] : [];
    const asked = words.flatMap(([, quoted, key]) => reports.get(quoted ?? key!) ?? []);
    const answered = user === goldens ? reports.values() : [];
    for (const used of [...imported, ...named, ...asked, ...answered]) {
      const known = users.get(used) ?? new Set();
      users.set(used, known.add(user));
    }
  }
  return users;
}
