import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { readManifests } from "../../../../pipeline/core/landing/manifests.ts";
import { resolveHome } from "../../../../pipeline/base/home/layout.ts";
import { computeFileSha256 } from "../../../../pipeline/base/home/durable.ts";
import { gzipSync } from "node:zlib";
import { homeWithWarehouse, formatLines, type TestHome } from "../../../support/home.ts";

// Files as people have them: what is no event is refused or counted, and the exit code says what was usable.

let home: TestHome;
beforeEach(async () => void (home = await homeWithWarehouse()));
afterEach(() => home[Symbol.dispose]());

const event = { time: 1_767_225_600, event_name: "job_kill" };
const count = (): Promise<number> => home.count("select count(*) from events");

describe("records without an event_name", () => {
  it.each([
    [
      "lines",
      formatLines([{ time: 1, v: "x" }, { time: 2 }]),
      "none of its 2 records has an event_name",
    ],
    ["a single one", formatLines([{ time: 1, v: "x" }]), "its record has no event_name"],
    ["an array", JSON.stringify([{ time: 1 }]), "its record has no event_name"],
    ["csv", "time,name\n1,a\n", "its record has no event_name"],
    [
      "events in a column",
      formatLines([
        { time: 1, v: event },
        { time: 2, v: event },
      ]),
      "events seem to be at v: import it with --records-at v",
    ],
  ])("in all of a file refuse it: %s", async (_what, content, reason) => {
    const { code, err } = await home.run(["import", home.write("file", content)]);
    expect([code, err]).toEqual([1, expect.stringContaining(reason)]);
    expect(await count()).toBe(0);
    expect(readManifests(resolveHome(home.home).landing).manifests).toEqual([]);
  });

  it("in a part of a file are counted", async () => {
    const { code, err } = await home.load([event, { time: 5 }, { time: 6, event_name: "" }]);
    expect([code, err]).toEqual([
      0,
      expect.stringContaining("2 new records without an event_name"),
    ]);
  });

  it("in a column are read if --records-at names it", async () => {
    const file = home.write("wrapped.ndjson", formatLines([{ time: 1, v: event }]));
    const { code, err } = await home.run(["import", "--records-at", "v", file]);
    expect([code, err]).toEqual([0, expect.stringContaining("1 record, 1 new")]);
  });
});

it("names in a CSV header are trimmed, and so are cells after blanks", async () => {
  const file = home.write(
    "blank.csv",
    "time, event_name , resource_name\n1767225600, job_kill, a\n",
  );
  expect((await home.run(["import", file])).code).toBe(0);
  expect(await home.rows("select event_name, resource_name from events")).toEqual([
    { event_name: "job_kill", resource_name: "a" },
  ]);
});

describe("the exit code of an import", () => {
  const bad = { event_name: "job_kill" };
  it.each([
    ["of nothing that can be read is 1", [[bad, bad]], 1, "none of them readable"],
    ["of a part that can be read is 6", [[bad, event]], 6, "1 quarantined"],
    ["of one bad file of two is 6", [[bad], [event]], 6, "none of them readable"],
    ["of records that are all good is 0", [[event], [event]], 0, "0 duplicates"],
    ["of a file without records is 0", [[]], 0, "0 records"],
  ])("%s", async (_what, files, expected, line) => {
    const paths = files.map((records, i) =>
      home.write(`${i}.json`, JSON.stringify({ audits: records })),
    );
    const { code, err } = await home.run(["import", ...paths]);
    expect([code, err]).toEqual([expected, expect.stringContaining(line)]);
  });
});

it("the manifest has the hash of each file as it is on the disk", async () => {
  const files = [
    home.write("a.json", `${JSON.stringify(event)}\n${JSON.stringify(event, null, 1)}`),
    home.write("b.json.gz", gzipSync(formatLines([event]))),
  ];
  await home.run(["import", ...files]);
  const [manifest] = readManifests(resolveHome(home.home).landing).manifests;
  const hashes = await Promise.all(files.map(computeFileSha256));
  expect(manifest?.files?.map(({ sha256 }) => sha256)).toEqual(hashes);
});

it.each([";;", "", '"', "\n"])("--separator %j is refused", async (separator) => {
  const { code } = await home.run([
    "import",
    "--separator",
    separator,
    home.write("a.csv", "time\n1\n"),
  ]);
  expect(code).toBe(2);
});
