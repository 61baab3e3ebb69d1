import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openPublished } from "../../../../pipeline/core/store/open.ts";
import { changePublished } from "../../../support/change-published.ts";
import { homeWithWarehouse, type TestHome } from "../../../support/home.ts";

let home: TestHome;
const change = (sql: string): Promise<void> => changePublished(home.home, sql);
beforeAll(async () => {
  home = await homeWithWarehouse();
  await home.load([{ time: 1_767_225_600, event_name: "job_kill", id: "1", user_id: 7 }]);
  // Like the file of a version that had neither: one is read by the reports, one by a file of queries.
  await change("drop table query_text_rows; drop view user_names; drop view denials");
});
afterAll(() => home[Symbol.dispose]());

const limits = { memoryLimit: "200MB", threads: 1 };
const readers = [["status"], ["investigate", "--user", "7"]];

test("a name that the views of this version do not have is a separate error", async () => {
  for (const argv of readers)
    expect((await home.run(argv)).err).toMatch(/^error: Catalog Error: .*does not exist/m);
});

test("every reader reports a file of another version with what to do", async () => {
  await change("update view_versions set view_version = 'of before'");
  for (const argv of readers)
    expect(await home.run(argv)).toMatchObject({
      code: 1,
      err: expect.stringMatching(
        /^error: the published file was created by another version of auditlake; run auditlake publish/m,
      ),
    });
  await using database = await openPublished(join(home.home, "audit.duckdb"), limits);
  const asked = database.connection.run("select cast('x' as integer)");
  await expect(asked).rejects.toThrow(/^Conversion Error/);
  await change("drop table view_versions");
  expect((await home.run(["status"])).err).toContain("another version");
});

test("doctor reports it once for all reports", async () => {
  const { out } = await home.run(["doctor"]);
  expect(out.match(/another version/g)).toHaveLength(1);
});
