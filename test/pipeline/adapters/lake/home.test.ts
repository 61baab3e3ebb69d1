import { join } from "node:path";
import { expect, it } from "vitest";
import { readIngester } from "../../../../pipeline/adapters/lake/home.ts";
import { resolveHome } from "../../../../pipeline/base/home/layout.ts";
import { temporaryFolder } from "../../../support/load.ts";

it("a home has one id, also if several commands start it at the same time", async () => {
  const { path, remove } = temporaryFolder();
  const home = resolveHome(join(path, "home"));
  const ids = await Promise.all(Array.from({ length: 8 }, () => readIngester(home)));
  expect(ids[0]).toMatch(/^[0-9a-f]{16}$/);
  expect(new Set(ids)).toEqual(new Set([await readIngester(home)]));
  remove();
});
