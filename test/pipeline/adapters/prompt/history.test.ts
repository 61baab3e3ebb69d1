import { chmodSync, linkSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, it } from "vitest";
import { readHistory, writeHistory } from "../../../../pipeline/adapters/prompt/prompt.ts";
import { temporaryFolder } from "../../../support/load.ts";

const folder = temporaryFolder();
afterEach(() => folder.remove());

it("is replaced as a whole, so that a killed process leaves the previous one", async () => {
  const path = join(folder.path, "sql", "history");
  mkdirSync(join(folder.path, "sql"));
  writeFileSync(path, "select 1;\n");
  chmodSync(path, 0o644);
  const former = join(folder.path, "former");
  linkSync(path, former);
  await writeHistory(path, ["select 2;", "select 1;"]);
  expect(readFileSync(former, "utf8")).toBe("select 1;\n");
  expect(readHistory(path)).toEqual(["select 2;", "select 1;"]);
  expect(statSync(path).mode & 0o777).toBe(0o600);
});
