import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { computeSha256 } from "../../pipeline/base/home/durable.ts";

const folder = "schemas/tables";
const list = "test/schemas/tables.sha256";

// A home runs each change of the schema once: a later edit or removal of one never reaches it.
test("changes of the schema are frozen; a new one is another file, and a line of the list", () => {
  const files = readdirSync(folder).toSorted();
  const lines = files.map(
    (name) => `${computeSha256(readFileSync(join(folder, name)))}  ${name}\n`,
  );
  expect(lines.join(""), `(cd ${folder}; sha256sum *.sql)`).toBe(readFileSync(list, "utf8"));
});
