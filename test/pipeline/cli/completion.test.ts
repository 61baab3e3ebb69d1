import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";
import { loadWholeProgram } from "../../../pipeline/cli/program.ts";
import { findReports } from "../../../pipeline/base/report/find.ts";
import { run } from "../../support/command.ts";
import { testWorld } from "../../support/world.ts";

// The script in a real shell, asked as the shell asks it.
function complete(script: string, line: string): string[] {
  const words = line.split(" ");
  const asked = `${script}
COMP_WORDS=(${words.map((word) => `'${word}'`).join(" ")}); COMP_CWORD=${words.length - 1}
_auditlake; printf '%s\\n' "\${COMPREPLY[@]}"`;
  return execFileSync("bash", ["-c", asked], { encoding: "utf8" }).split("\n").filter(Boolean);
}

test("bash completes verbs, options and names of reports in any position", async () => {
  const { out: script, code } = await run(["completion", "bash"]);
  expect(code).toBe(0);
  const program = await loadWholeProgram(testWorld());
  const verbs = program.commands.map((each) => each.name());
  expect(complete(script, "auditlake ").filter((word) => !word.startsWith("-"))).toEqual(verbs);
  expect(complete(script, "auditlake rep")).toEqual(["report"]);
  expect(complete(script, "auditlake --quiet report s")).toEqual(["show"]);
  const names = findReports().reports.map(({ name }) => name);
  expect(complete(script, "auditlake report run ").filter((word) => !word.startsWith("-"))).toEqual(
    names,
  );
  expect(complete(script, "auditlake report run denials_by_actor --fail")).toEqual([
    "--fail-on-rows",
  ]);
  expect(complete(script, "auditlake investigate --us")).toEqual(["--user"]);
  expect(complete(script, "auditlake nothing ")).toContain("status");
});

test("zsh completes the same, and fish has a line for each place", async () => {
  const { out: bash } = await run(["completion", "bash"]);
  const { out: zsh } = await run(["completion", "zsh"]);
  expect(zsh).toBe(`autoload -U +X bashcompinit && bashcompinit\n${bash}`);
  const { out: fish } = await run(["completion", "fish"]);
  expect(fish).toContain(
    "complete -c auditlake -n '__fish_seen_subcommand_from report; and __fish_seen_subcommand_from run' -l since -r\n",
  );
  expect(
    fish
      .split("\n")
      .slice(0, -1)
      .every((line) => /^complete -c auditlake -n '[^']+' -(a '[^']+'|l [\w-]+( -r)?)$/.test(line)),
  ).toBe(true);
});

test("another shell is refused", async () => {
  const { code, err } = await run(["completion", "csh"]);
  expect(code).toBe(2);
  expect(err).toContain("Allowed choices are bash, zsh, fish");
});
