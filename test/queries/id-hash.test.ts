import { expect, test } from "vitest";
import { readAsset } from "../../pipeline/base/home/assets.ts";
import { splitStatements } from "../../pipeline/base/sql/statements.ts";
import { openInMemory } from "../../pipeline/core/store/open.ts";

// Databases store these hashes: change a comment of queries/derived/kinds.sql if an engine hashes differently, so that
// they are refreshed.
test("the engine hashes ids as it did when databases stored the hashes", async () => {
  await using database = await openInMemory({ memoryLimit: "100MB", threads: 1 });
  const macros = splitStatements(readAsset("queries/derived/kinds.sql"));
  await database.connection.run(macros.find((macro) => macro.includes("macro id_hash_of"))!);
  const asked = "select id_hash_of('default', 'id-1'), id_hash_of('other', '7d2d3c7e-6a3d-4c58')";
  const [row] = (await database.connection.runAndReadAll(asked)).getRowsJson();
  expect(row).toEqual(["926475418256", "619730008924"]);
});
