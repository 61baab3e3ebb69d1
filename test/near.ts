import { spawnSync } from "node:child_process";
import { existsSync, globSync, readFileSync } from "node:fs";
import { basename, dirname, join, normalize } from "node:path";

// usage: node test/near.ts FILE [--all]: runs the tests that reach a file, nearest first: those that import it or name
// it (as a .sql file), then those that import its importers, and so on until there are enough.

const enough = 6;
const most = 16;
const slow = /\.played\.test\.ts$|^test\/(?:fault|browser|lake|engine)\//;

const [path = "", all] = process.argv.slice(2);
const file = normalize(path);
if (!existsSync(file)) {
  process.stderr.write(
    `near: there is no file ${path}; usage: make near FILE=pipeline/core/load/read.ts\n`,
  );
  process.exit(2);
}

// A report is named by its own name, in quotes or as a key.
const reports = new Map(
  globSync("queries/reports/*/*.sql").map((report) => [basename(report, ".sql"), report]),
);
const importers = readImporters();
const tests = file.endsWith(".test.ts") ? [file] : findTests(file);
const chosen = all === "--all" ? tests : tests.slice(0, most);
process.stdout.write(`${chosen.length} of ${tests.length} test files that reach ${file}\n`);
const { status } = spawnSync("node_modules/.bin/vitest", ["run", ...chosen], { stdio: "inherit" });
process.exit(tests.length === 0 ? 1 : (status ?? 1));

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

// Who imports each file, or names it as a text: modules, .sql files, pages.
function readImporters(): Map<string, Set<string>> {
  const users = new Map<string, Set<string>>();
  for (const user of globSync("{pipeline,schemas,fixtures,test}/**/*.ts")) {
    const text = readFileSync(user, "utf8");
    const imported = [...text.matchAll(/(?:\bfrom|\bimport)\s*\(?\s*"(\.{1,2}\/[^"]+)"/g)].map(
      ([, name]) => normalize(join(dirname(user), name!)),
    );
    const named = [...text.matchAll(/"((?:queries|schemas|docs)\/[^"#]+)["#]/g)].map(
      ([, name]) => name!,
    );
    const words = user.startsWith("test/") ? [...text.matchAll(/"(\w+)"|\b(\w+):/g)] : [];
    const asked = words.flatMap(([, quoted, key]) => reports.get(quoted ?? key!) ?? []);
    for (const used of [...imported, ...named, ...asked]) {
      const known = users.get(used) ?? new Set();
      users.set(used, known.add(user));
    }
  }
  return users;
}
