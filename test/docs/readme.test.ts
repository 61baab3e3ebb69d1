import { readFileSync, writeFileSync } from "node:fs";
import { afterAll, expect, test } from "vitest";
import { realWorld } from "../../pipeline/world.ts";
import { run, temporaryFolder } from "../support/load.ts";
import { projectPath } from "./pages.ts";

// Every `console` block of the README is one command with what it prints; with UPDATE_DOCS=1 the output is
// written anew.
const folder = temporaryFolder();
afterAll(() => folder.remove());

const block = /```console\n\$ auditlake (.*)\n([\s\S]*?)```/g;

/** Words of a command line, quotes taken off. */
function wordsOf(line: string): string[] {
  return [...line.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, bare]) => quoted ?? bare!);
}

async function printed(line: string): Promise<string> {
  const words = wordsOf(line).map((word) =>
    word.startsWith("fixtures/") ? projectPath(word) : word,
  );
  const { sleep } = realWorld(new AbortController().signal);
  const { code, out, err } = await run(["--home", folder.path + "/home", ...words], {}, { sleep });
  expect(code, err).toBe(0);
  // What an import took in time differs from machine to machine.
  const told = line.startsWith("import ")
    ? err.replace(projectPath(""), "").replace(/, in .*/, "")
    : "";
  return told + out;
}

test("the samples in the README are what the commands print", async () => {
  const readme = readFileSync(projectPath("README.md"), "utf8");
  let renewed = readme;
  const samples = [...readme.matchAll(block)];
  expect(samples.length).toBeGreaterThan(3);
  for (const [whole, line = ""] of samples) {
    const text = `\`\`\`console\n$ auditlake ${line}\n${await printed(line)}\`\`\``;
    renewed = renewed.replace(whole, () => text);
  }
  if (process.env["UPDATE_DOCS"] === "1") writeFileSync(projectPath("README.md"), renewed);
  else expect(renewed).toBe(readme);
});
