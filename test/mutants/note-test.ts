import { writeFileSync } from "node:fs";
import { relative } from "node:path";
import { expect } from "vitest";

// Says which test file runs now: to this process, and by a file to those that it starts.
const test = relative(process.cwd(), expect.getState().testPath ?? "");
Object.assign(globalThis, { __reachTest: test });
writeFileSync(process.env["MUTANTS_CURRENT"]!, test);
