import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import { newRealWorld } from "../../pipeline/base/world.ts";
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

async function print(line: string, folder: string): Promise<string> {
  const words = listWords(line).map((word) =>
    word.startsWith("fixtures/") ? projectPath(word) : word,
  );
  const { sleep } = newRealWorld(new AbortController().signal);
  const { code, out, err } = await run(["--home", `${folder}/home`, ...words], {
    env: { COLUMNS: "80" },
    sleep,
  });
  expect(code, `${line}: ${err}`).toBe(0);
  // What an import took in time differs from machine to machine.
  const told = line.startsWith("import ")
    ? err.replace(projectPath(""), "").replace(/, in .*/, "")
    : "";
  return told + out;
}

test.each(["README.md", "docs/newcomer.md", "docs/analyst.md"])(
  "the samples in %s are what the commands print",
  async (path) => {
    const folder = temporaryFolder();
    const page = readFileSync(projectPath(path), "utf8");
    let renewed = page;
    const samples = [...page.matchAll(block)];
    expect(samples.length).toBeGreaterThanOrEqual(3);
    for (const [whole, line = ""] of samples) {
      const text = `\`\`\`console\n$ auditlake ${line}\n${await print(line, folder.path)}\`\`\``;
      renewed = renewed.replace(whole, () => text);
    }
    folder.remove();
    if (process.env["UPDATE_DOCS"] === "1") writeFileSync(projectPath(path), renewed);
    else expect(renewed).toBe(page);
  },
);

test("docs/architecture.md names what is there", () => {
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
