import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { newHomes } from "../../pipeline/cli/sources/two.ts";
import { goldenRuns } from "../../support/golden.ts";

const homes = newHomes();

test("every report with --source returns what it returns without other sources", async () => {
  for (const [i, run] of goldenRuns.entries()) {
    const folders = [homes.alone, homes.both].map(({ folder }) => join(folder, `out-${i}`));
    const first = await homes.alone.run(["report", "run", ...run, "--out", folders[0]!]);
    expect(first.code, first.err).toBe(0);
    const second = await homes.both.run([
      "--source",
      "one",
      "report",
      "run",
      ...run,
      "--out",
      folders[1]!,
    ]);
    expect(second.code, second.err).toBe(0);
    const files = readdirSync(folders[0]!);
    expect(readdirSync(folders[1]!)).toEqual(files);
    for (const file of files)
      expect(readFileSync(join(folders[1]!, file), "utf8"), file).toBe(
        readFileSync(join(folders[0]!, file), "utf8"),
      );
  }
});
