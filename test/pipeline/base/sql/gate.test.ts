import { expect, it } from "vitest";
import { openInMemory } from "../../../../pipeline/core/store/open.ts";
import { prepareAround, prepareSelect } from "../../../../pipeline/base/sql/gate.ts";

// Where semicolons may be around a select, also in texts and comments, which are not to lose theirs.
const selects = [
  "select ';' as a",
  "select ';' as a;",
  ";select ';' as a",
  "; ;select ';' as a; ;",
  "select ';' as a; -- so;",
  "select ';' as a -- no; end",
  "/* ; */ select ';' as a; /* ; */",
  "/* ; /* ; */ ; */ select ';' as a; /* ; /* ; */ ; */",
  "-- so\rselect ';' as a\n;",
  "-- ;\n; -- ;\r\n/***/ ;/* / * ;*/; select ';' as a;",
];

it("a select is wrapped in a statement, with any semicolons before and after it", async () => {
  await using database = await openInMemory({ memoryLimit: "200MB", threads: 1 });
  const { connection } = database;
  for (const select of selects) {
    const around = (inner: string): string => `select a || '!' as b from (${inner})`;
    const prepared = await prepareAround(connection, select, around);
    const reader = await prepared.runAndReadAll();
    expect([select, reader.getRows()]).toEqual([select, [[";!"]]]);
  }
});

it("the database's error is shown for a select that cannot be wrapped", async () => {
  await using database = await openInMemory({ memoryLimit: "200MB", threads: 1 });
  const { connection } = database;
  const around = (select: string): string => `select a from (${select}) where`;
  for (const select of ["select 1 as a", "select 1 as a;", ";select 1 as a"])
    await expect(prepareAround(connection, select, around)).rejects.toThrow(/Parser Error/);
});

it("a writing statement is refused in auditlake's words, even if the database reports another fault first", async () => {
  await using database = await openInMemory({ memoryLimit: "200MB", threads: 1 });
  const { connection } = database;
  await connection.run("create view v as select 1 as a");
  const writes = {
    INSERT: ["insert into v values (1)", "/* so */ INSERT into none values (1)"],
    UPDATE: ["-- so\nupdate v set a = 2", ";update none set a = 2"],
    DELETE: ["delete from v"],
    MERGE: ["merge into v using v as w on v.a = w.a when matched then delete"],
  };
  for (const [verb, texts] of Object.entries(writes))
    for (const text of texts)
      await expect(prepareSelect(connection, text)).rejects.toThrow(
        `DESCRIBE, SHOW, SUMMARIZE), found ${verb}; the published file is read-only`,
      );
  await expect(prepareSelect(connection, "select insert from v")).rejects.toThrow("Error");
});
