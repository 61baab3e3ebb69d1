import { formatNotice } from "../../../../pipeline/base/notice/notice.ts";
import { expect, it } from "vitest";
import {
  readDirectoryNotes,
  listDirectoryWarnings,
} from "../../../../pipeline/core/completeness/directory.ts";
import { openInMemory } from "../../../../pipeline/core/store/open.ts";

const limits = { memoryLimit: "200MB", threads: 1 };

it("a rejected user list is reported for each source, with its missing users", async () => {
  await using database = await openInMemory(limits);
  const { connection } = database;
  expect(await listDirectoryWarnings(connection, undefined)).toEqual([]);
  expect(await readDirectoryNotes(connection, "a")).toEqual({ refused: undefined, missing: [] });
  await connection.run(`
    create table directory_readings as
      select * from (values
        ('a', timestamp '2026-03-02', 'empty', null),
        ('a', timestamp '2026-03-01', 'whole', null),
        ('b', timestamp '2026-03-02', 'faulty', 'a next page'),
        ('c', timestamp '2026-03-02', 'whole', null),
        ('c', timestamp '2026-03-01', 'empty', null),
        ('d', timestamp '2026-03-02', 'whole', null)
      ) as r (source, read_at, verdict, against);
    create table directory_losses as
      select * from (values
        ('b', timestamp '2026-03-01'), ('d', timestamp '2026-03-01'), ('d', timestamp '2026-02-01')
      ) as l (source, missing_since);
    create table user_history as
      select * from (values ('a', null), ('b', null), ('b', null), ('d', null), ('d', now())) as h (source, valid_to)`);
  const all = (await listDirectoryWarnings(connection, undefined)).map((each) => ({
    ...each,
    line: formatNotice(each.notice),
  }));
  expect(all.map(({ source, line }) => [source, line.replace(/^(.*?[,;]).*$/, "$1")])).toEqual([
    ["a", "the user list of source a,"],
    ["b", "the user list of source b,"],
    ["b", "1 of 2 users of source b are missing from the user list since 2026-03-01T00:00:00Z;"],
    ["d", "2 of 1 user of source d are missing from the user list since 2026-02-01T00:00:00Z;"],
  ]);
  const [empty, faulty, missing] = all.map(({ line }) => line);
  expect(empty).toMatch(
    /, read 2026-03-02T00:00:00Z, was rejected because it is empty; 1 known user unchanged; .*sources\.a\.users$/,
  );
  expect(faulty).toMatch(
    / was rejected: a next page indicates that it is incomplete; 2 known users unchanged; set sources\.b\.users\.paging /,
  );
  expect(missing).toMatch(
    /; they are retained until a later list confirms it; .*sources\.b\.users\.paging$/,
  );
  expect(await readDirectoryNotes(connection, "b")).toEqual({
    refused: all[1]!.notice,
    missing: [all[2]!.notice],
  });
  expect(await readDirectoryNotes(connection, "d")).toEqual({
    refused: undefined,
    missing: [all[3]!.notice],
  });
  expect(await readDirectoryNotes(connection, "c")).toEqual({ refused: undefined, missing: [] });
});
