import { tmpdir } from "node:os";
import { join } from "node:path";
import { defineConfig, type Plugin } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";

// The laboratory's tests take minutes, and those of pages and of the lake wait much: they come first, so that no worker
// waits for one of them at the end.
class LongFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const isLong = ({ moduleId }: TestSpecification): boolean =>
      /\/test\/(browser|fault|lake)\//.test(moduleId);
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))];
  }
}

const started = join(import.meta.dirname, "test/support/started.ts");
const sources = join(import.meta.dirname, "pipeline/");

// The program asks here what its processes begin with, and is given what was built of them.
const startBuilt: Plugin = {
  name: "start-built",
  enforce: "pre",
  resolveId: (path, importer) =>
    path.endsWith("/home/assets.ts") && importer?.startsWith(sources) ? started : undefined,
};

export default defineConfig({
  plugins: [startBuilt],
  test: {
    include: ["test/**/*.test.ts"],
    globalSetup: "test/support/prepared.ts",
    // Ends what hangs; a busy machine may take many times what a quiet one does.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    // Two more than CI's machine has processors: some of them wait for a process, a browser or a time.
    maxWorkers: 4,
    // In megabytes. What the database gives is small and many: collected early, garbage takes a fifth of the time.
    execArgv: ["--initial-heap-size=1000"],
    // A process for each file would load the program and the database 350 times, and warm both up as often. So a test
    // undoes what it changes of its process: variables, folders, prototypes.
    isolate: false,
    // Not in the real home, whoever's it is.
    env: { XDG_CACHE_HOME: join(tmpdir(), "auditlake-test-cache") },
    sequence: { sequencer: LongFirst },
  },
});
