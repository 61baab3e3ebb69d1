import { readFileSync } from "node:fs";
import { BaseSequencer, type TestSpecification } from "vitest/node";
import base from "../../vitest.config.ts";

const listed = readFileSync(process.env["MUTANTS_TESTS"]!, "utf8").split("\n");

// As listed: the tests that are likeliest to notice come first.
class AsListed extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const place = ({ moduleId }: TestSpecification): number =>
      listed.findIndex((file) => moduleId.endsWith(`/${file}`));
    return files.toSorted((a, b) => place(a) - place(b));
  }
}

export default {
  ...base,
  test: {
    ...base.test,
    include: listed,
    globalSetup: "test/mutants/prepared.ts",
    maxWorkers: 1,
    setupFiles: process.env["MUTANTS_CURRENT"] === undefined ? [] : ["test/mutants/note-test.ts"],
    sequence: { sequencer: AsListed },
  },
};
