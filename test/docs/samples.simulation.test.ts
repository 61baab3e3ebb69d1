import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { configSchema } from "../../schemas/config.ts";
import { newRealWorld, type World } from "../../pipeline/base/world.ts";
import { temporaryFolder } from "../support/load.ts";
import { run } from "../support/command.ts";
import { projectPath } from "./pages.ts";

// Every `console` block is one command with its output, page by page in a home of its own. With UPDATE_DOCS=1 the
// output is rewritten.
const block = /```console\n\$ auditlake (.*)\n([\s\S]*?)```/g;

/** Words of a command line, quotes taken off. */
function listWords(line: string): string[] {
  return [...line.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, bare]) => quoted ?? bare!);
}

async function print(line: string, folder: string, world: Partial<World> = {}): Promise<string> {
  const words = listWords(line).map((word) =>
    word.startsWith("fixtures/") ? projectPath(word) : word,
  );
  const { sleep } = newRealWorld(new AbortController().signal);
  const { code, out, err } = await run(["--home", `${folder}/home`, ...words], {
    sleep,
    ...world,
    env: { COLUMNS: "80", ...world.env },
  });
  expect(code, `${line}: ${err}`).toBe(0);
  return chooseNotes(line, err) + out;
}

// The duration of an import differs from machine to machine, and so do the findings of each new detection.
function chooseNotes(line: string, err: string): string {
  if (line.startsWith("import "))
    return err
      .replace(projectPath(""), "")
      .replace(/, in .*/, "")
      .replaceAll(/^.*(?:new findings?:|warning: the detection).*\n/gm, "");
  return line.startsWith("findings suppress ")
    ? (/^suppressed until.*\n/m.exec(err)?.[0] ?? "")
    : "";
}

/** Compares each sample of a page with what its commands print. */
async function compareSamples(path: string, folder: string, world?: Partial<World>): Promise<void> {
  const page = readFileSync(projectPath(path), "utf8");
  let renewed = page;
  const samples = [...page.matchAll(block)];
  expect(samples.length).toBeGreaterThanOrEqual(3);
  for (const [whole, line = ""] of samples) {
    const text = `\`\`\`console\n$ auditlake ${line}\n${await print(line, folder, world)}\`\`\``;
    renewed = renewed.replace(whole, () => text);
  }
  if (process.env["UPDATE_DOCS"] === "1") writeFileSync(projectPath(path), renewed);
  else expect(renewed).toBe(page);
}

test.each(["README.md", "docs/newcomer.md", "docs/analyst.md"])(
  "the samples in %s are what the commands print",
  async (path) => {
    const folder = temporaryFolder();
    await compareSamples(path, folder.path);
    folder.remove();
  },
);

test("docs/findings.md leads from a finding to a custom rule", async () => {
  const folder = temporaryFolder();
  const before = process.cwd();
  const page = readFileSync(projectPath("docs/findings.md"), "utf8");
  mkdirSync(join(folder.path, "rules"));
  const files = [...page.matchAll(/^```(?:sql|json) (\S+)\n([^]*?)^```$/gm)];
  for (const [, name = "", text = ""] of files)
    if (name !== "configuration") writeFileSync(join(folder.path, name), text);
  const configuration = files.find(([, name]) => name === "configuration");
  expect(() => configSchema.parse(JSON.parse(configuration![2]!))).not.toThrow();
  try {
    process.chdir(folder.path);
    await compareSamples("docs/findings.md", folder.path, {
      now: () => Date.UTC(2026, 2, 5, 6),
      env: { AUDITLAKE_FINDINGS: "on", COLUMNS: "100" },
    });
  } finally {
    process.chdir(before);
    folder.remove();
  }
});

test("docs/architecture.md lists all modules", () => {
  const page = readFileSync(projectPath("docs/architecture.md"), "utf8");
  const paths = [...page.matchAll(/`((?:schemas|pipeline|queries|fixtures|test)\/[^`*<]*)`/g)];
  expect(paths.length).toBeGreaterThan(10);
  for (const [, path = ""] of paths) expect(existsSync(projectPath(path)), path).toBe(true);
});

test("the README can be read in two minutes", () => {
  expect(readFileSync(projectPath("README.md"), "utf8").split("\n").length).toBeLessThanOrEqual(
    110,
  );
});
