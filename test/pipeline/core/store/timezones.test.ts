import { expect, it } from "vitest";
import { readAsset } from "../../../../pipeline/base/home/assets.ts";
import { zoneRules } from "../../../../pipeline/base/time/wall.ts";
import { openInMemory } from "../../../../pipeline/core/store/open.ts";
import { fillTimezones } from "../../../../pipeline/core/store/migrate.ts";

it("the named zones start with the default, and are rebuilt only for other rules", async () => {
  await using database = await openInMemory({ memoryLimit: "200MB", threads: 1 });
  const { connection } = database;
  await connection.run(readAsset("schemas/tables/016_timezones.sql"));
  const listHeld = async (): Promise<
    { timezone: string; rules: string; is_default: boolean }[]
  > => {
    const sql = `select distinct timezone, rules, is_default from timezone_offset_rows
                 order by is_default desc, timezone`;
    return (await connection.runAndReadAll(sql)).getRowObjectsJson() as never;
  };
  const fill = async (...zones: [string, ...string[]]): Promise<(string | boolean)[][]> => {
    await fillTimezones(connection, zones, await listHeld());
    const twice = `select timezone from timezone_offset_rows
                   group by timezone, valid_from having count(*) > 1`;
    expect((await connection.runAndReadAll(twice)).getRows()).toEqual([]);
    return (await listHeld()).map((row) => [row.timezone, row.rules, row.is_default]);
  };
  // What has no change of clocks follows no rules.
  expect(await fill("UTC")).toEqual([["UTC", "none", true]]);
  const [tokyo, paris] = ["Asia/Tokyo", "Europe/Paris"];
  const both = [
    [tokyo, zoneRules, true],
    [paris, zoneRules, false],
    ["UTC", zoneRules, false],
  ];
  expect(await fill(tokyo, "UTC", paris, "UTC", tokyo)).toEqual(both);
  expect(await fill(paris)).toEqual([[paris, zoneRules, true]]);
  await connection.run("update timezone_offset_rows set rules = 'older', offset_minutes = 7");
  expect(await fill(paris)).toEqual([[paris, zoneRules, true]]);
  await fill(tokyo, paris);
  await connection.run(
    `update timezone_offset_rows set rules = 'older' where timezone = '${paris}'`,
  );
  expect(await fill(tokyo, paris)).toEqual(both.slice(0, 2));
  await fill(paris);
  await connection.run("update timezone_offset_rows set offset_minutes = 7");
  await fill(paris);
  const kept = await connection.runAndReadAll(
    "select distinct offset_minutes from timezone_offset_rows",
  );
  expect(kept.getRows()).toEqual([[7]]);
});
