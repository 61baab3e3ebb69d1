import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { newRandom } from "../../fixtures/random.ts";
import { temporaryFolder } from "../support/load.ts";
import { listForms } from "./canary/forms.ts";
import { searchFolder } from "./canary/search.ts";
import { runSuite, testFiles } from "./suite.ts";
import type { Figure } from "./figure.ts";

// The tests that use the key most; in `make fault-short` only these run a second time.
const first = [
  "test/pipeline/cli/bad-usage.test.ts",
  "test/pipeline/base/terminal/log.test.ts",
  "test/pipeline/core/source/key.test.ts",
  "test/pipeline/base/http/transport/retries.test.ts",
  "test/pipeline/core/source/secrets.test.ts",
];
const files = [...first, ...testFiles().filter((file) => !first.includes(file))];
const keep = new URL("canary/keep.ts", import.meta.url).href;

/** Runs the suite with a canary as the key, and then searches every byte that it printed or wrote for it. */
export const canaryFigure: Figure = {
  name: "canary",
  unit: "test files",
  asked: "0 hits in any output, log or file",
  long: files.length,
  short: first.length,
  perSeed: files.length,
  run: async (count, seed, report) => {
    const { path, remove } = temporaryFolder();
    try {
      const { canary, env } = laidOut(path, seed);
      const run = await runSuite(files.slice(0, count), env);
      writeFileSync(join(path, "console.txt"), run.out);
      report("the tests are through; searching what they left");
      // Tests of the key file write some on purpose.
      const isKeyFile = (name: string): boolean => /^key(-|$)/.test(name);
      const searched = await searchFolder(path, listForms(canary), isKeyFile);
      const failures = searched.hits.map(({ where, form }) => `seed ${seed}: ${form} in ${where}`);
      if (searched.known === 0)
        failures.push(`seed ${seed}: no test has written the key on purpose`);
      if (run.code !== 0) failures.push(`seed ${seed}: the tests fail: ${lastLines(run.out)}`);
      const megabytes = Math.round(searched.bytes / 1e6).toLocaleString("en-US");
      const note = `${searched.hits.length} hits in ${searched.files.toLocaleString("en-US")} files, ${megabytes} MB`;
      return { done: Math.min(count, files.length), failures, note };
    } finally {
      remove();
    }
  },
};

// A key that is encoded only in URLs.
function laidOut(path: string, seed: number): { canary: string; env: Record<string, string> } {
  const random = newRandom(seed, "canary");
  const canary = `cnry-${random.uuid().slice(0, 13)}=${random.uuid().slice(24)}`;
  const [tmp, kept, output] = ["tmp", "kept", "output"].map((name) => join(path, name));
  // Some processes run as another user.
  chmodSync(path, 0o711);
  for (const folder of [tmp!, kept!, output!]) {
    mkdirSync(folder);
    chmodSync(folder, 0o1777);
  }
  const env = {
    TEST_KEY: canary,
    TEST_KEPT: kept!,
    TEST_OUTPUT: output!,
    TMPDIR: tmp!,
    // This run is also the suite under UTC, which the figure of the zones skips.
    TZ: "UTC",
    NODE_OPTIONS: `--import=${keep}`,
  };
  return { canary, env };
}

function lastLines(out: string): string {
  const failed = out.split("\n").filter((line) => /FAIL|Error:/.test(line));
  return failed.slice(0, 5).join("; ").slice(0, 500);
}
