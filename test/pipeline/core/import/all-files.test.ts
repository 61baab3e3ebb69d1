import { symlinkSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { homeWithWarehouse, formatLines } from "../../../support/home.ts";

const event = { time: 1_767_225_600, event_name: "job_kill" };

it.each([
  ["none", 0, [event], "1 record, 1 new, 0 duplicates, in "],
  [
    "some",
    6,
    [event, "{"],
    "2 records, 1 new, 0 duplicates, 1 quarantined (see auditlake status), in ",
  ],
])(
  "the import reports the records of a file, if %s are quarantined",
  async (_, expected, records, message) => {
    using home = await homeWithWarehouse();
    const { code, err } = await home.load(records);
    expect(code, err).toBe(expected);
    expect(err).toContain(`records-1.ndjson: ${message}`);
  },
);

it("file names are printed without terminal sequences, one line each", async () => {
  using home = await homeWithWarehouse();
  const names = ["good\n\u001b[2J.ndjson", "bad\n\u001b[2J.json"];
  const [good, bad] = [home.write(names[0]!, formatLines([event])), home.write(names[1]!, "{")];
  const { code, err } = await home.run(["import", good, bad]);
  expect(code).toBe(6);
  expect(err.trimEnd().split("\n")).toEqual([
    expect.stringContaining(String.raw`bad\u000a\u001b[2J.json: `),
    expect.stringContaining(String.raw`good\u000a\u001b[2J.ndjson: 1 record`),
  ]);
});

it("the remaining files after an interrupt are printed as a command to paste, for the given source", async () => {
  using home = await homeWithWarehouse();
  const files = ["plain.ndjson", "a b.ndjson", "it's.ndjson"].map((name, i) =>
    home.write(name, formatLines([{ ...event, id: `${i}` }])),
  );
  const { code, err } = await home.run(["import", "--source", "old", ...files], {
    signal: AbortSignal.abort(),
  });
  expect(code).toBe(130);
  const [plain, blank, quote] = files as [string, string, string];
  const left = `${plain} '${blank}' '${quote.replace("'", String.raw`'\''`)}'`;
  expect(err).toContain(`0 of 3 files done; continue with auditlake import --source old ${left}\n`);
});

it("an import is partial if the users of a file are loaded and no file of records is", async () => {
  using home = await homeWithWarehouse();
  const users = home.write("users.json", JSON.stringify([{ id: 7, email: "jo@example.com" }]));
  const { code } = await home.run(["import", home.write("bad.json", "{"), "--users", users]);
  expect([code, await home.count("select count(*) from users")]).toEqual([6, 1]);
});

it("a file that exists but cannot be opened is reported with the reason", async () => {
  using home = await homeWithWarehouse();
  const circle = join(home.folder, "circle.json");
  symlinkSync(circle, circle);
  const { code, err } = await home.run(["import", circle]);
  expect([code, err]).toEqual([2, `error: cannot read ${circle}: its links are circular\n`]);
});
