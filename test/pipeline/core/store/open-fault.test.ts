import { expect, it } from "vitest";
import { openInMemory } from "../../../../pipeline/core/store/open.ts";
import { openFault } from "../../../../pipeline/core/store/fault.ts";

it("too little memory is reported with the setting, and without statements that cannot be run", async () => {
  await using database = await openInMemory({ memoryLimit: "10MB", threads: 1 });
  const dear = "select list(repeat('x', 1000) || range) from range(1000000)";
  const error: unknown = await database.connection.run(dear).then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  const { message } = openFault("/srv/audit/warehouse.duckdb", error, "run auditlake rebuild");
  expect(message).toMatch(
    /^the database had too little memory for \/srv\/audit\/warehouse\.duckdb: .* used\); raise memory_limit in the configuration$/,
  );
});
