import { readFileSync } from "node:fs";
import { afterAll, beforeAll, expect } from "vitest";
import { readCopy, homeWithWarehouse, type TestHome } from "../../../support/home.ts";

/** Two homes of the golden records: one has a source alone, the other beside it one of the same at other times. */
export type Homes = { readonly alone: TestHome; readonly both: TestHome };

/** Makes them once for a test file. */
export function newHomes(): Homes {
  let alone: TestHome;
  let both: TestHome;
  beforeAll(async () => {
    alone = await homeWithWarehouse();
    const records = readFileSync("fixtures/golden/records.ndjson", "utf8");
    const users = ["--users", "fixtures/golden/users.json"];
    const imported = await alone.run([
      "import",
      "--source",
      "one",
      alone.write("r.ndjson", records),
      ...users,
    ]);
    expect(imported.code, imported.err).toBe(0);
    both = readCopy(alone);
    const moved = records.replaceAll(
      /"time": ?(\d+)/g,
      (_, time: string) => `"time":${Number(time) + 5400}`,
    );
    const other = await both.run([
      "import",
      "--source",
      "two",
      both.write("m.ndjson", moved),
      ...users,
    ]);
    expect(other.code, other.err).toBe(0);
  });
  afterAll(() => {
    alone[Symbol.dispose]();
    both[Symbol.dispose]();
  });
  return {
    get alone() {
      return alone;
    },
    get both() {
      return both;
    },
  };
}
