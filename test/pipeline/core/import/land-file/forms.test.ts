import { gzipSync, zstdCompressSync } from "node:zlib";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { formatLines, homeWithWarehouse, type TestHome } from "../../../../support/home.ts";

// Files through the real import: what is cut off is not loaded in part, what cannot be read is kept.

const time = 1_767_225_600;
const canary = "CANARY-content";
const records = Array.from({ length: 50 }, (_, i) => ({
  time: time + i,
  event_name: "job_kill",
  resource_name: `${canary} ${i}, "quoted"\r\n`,
}));
const rows = records.map(
  (r) => `${r.time},${r.event_name},"${r.resource_name.replaceAll('"', '""')}"`,
);

const forms: Readonly<Record<string, string>> = {
  "array.json": JSON.stringify(records),
  "pretty.json": JSON.stringify(records, null, 2),
  "envelope.json": JSON.stringify({ audits: records, next_page: null }),
  "records.ndjson": formatLines(records),
  "records.csv": `\ufefftime,event_name,resource_name\r\n${rows.join("\r\n")}\r\n`,
};

let home: TestHome;
beforeEach(async () => void (home = await homeWithWarehouse()));
afterEach(() => home[Symbol.dispose]());

const events = (): Promise<number> => home.count("select count(*) from events");
const quarantine = (): Promise<unknown> =>
  home.rows("select reason, length(record_text)::int as length from quarantine order by 1, 2");

it("the import loads every form, plain and packed, as the same events", async () => {
  const files = Object.entries(forms).flatMap(([name, text]) => [
    home.write(name, text),
    home.write(`${name}.gz`, gzipSync(text)),
    home.write(`${name}.zst`, zstdCompressSync(text)),
  ]);
  const { code, err } = await home.run(["import", ...files]);
  expect([code, err.match(/50 records/g)?.length]).toEqual([0, files.length]);
  // Equal records without an id stay as many as one file holds.
  expect(await events()).toBe(50);
  expect(await home.count("select count(*) from events where resource_name like '%\r\n'")).toBe(50);
  expect(await quarantine()).toEqual([]);
});

it("the import loads nothing of a truncated file, and reports it once", async () => {
  const cuts = Object.entries(forms).flatMap(([name, text]) => {
    const bytes = Buffer.from(text);
    const packed = { "": bytes, ".gz": gzipSync(bytes), ".zst": zstdCompressSync(bytes) };
    return Object.entries(packed)
      .filter(([ending]) => name !== "records.ndjson" || ending !== "")
      .map(([ending, whole]) => {
        // In the middle of a cell or a string: not behind a row that happens to be whole.
        const half = ending === "" ? bytes.lastIndexOf("quoted") : Math.floor(whole.length / 2);
        return home.write(`cut-${name}${ending}`, whole.subarray(0, half));
      });
  });
  const { code, err } = await home.run(["import", "--quiet", ...cuts]);
  const lines = err.trim().split("\n");
  expect([code, lines.length]).toEqual([1, cuts.length]);
  for (const [i, file] of cuts.entries())
    expect(lines[i]).toMatch(new RegExp(`^error: ${file}: .*(truncated|ends inside)`));
  expect(err).not.toContain(canary);
  expect(await events()).toBe(0);
  expect(await home.count("select count(*) from ingest_pages")).toBe(0);
});

it("the import quarantines the last line of a truncated NDJSON file", async () => {
  const cut = forms["records.ndjson"]!.slice(0, -30);
  const { code, err } = await home.run(["import", home.write("cut.ndjson", cut)]);
  expect([code, err]).toEqual([
    6,
    expect.stringContaining("50 records, 49 new, 0 duplicates, 1 quarantined"),
  ]);
  expect(await quarantine()).toEqual([
    { reason: "invalid_json", length: cut.length - cut.lastIndexOf("\n") - 1 },
  ]);
});

describe("a record that is too long", () => {
  it("is measured by the configured size, to the byte", async () => {
    const config = home.write(
      "auditlake.json",
      JSON.stringify({ sources: { a: { limits: { max_record_bytes: 2000 } } } }),
    );
    const fitting = (size: number): string => {
      const head = `{"time":${time},"event_name":"a","shade":"`;
      return `${head}${"x".repeat(size - head.length - 2)}"}`;
    };
    const file = home.write("sized.ndjson", formatLines([fitting(2000), fitting(2001)]));
    const { code, err } = await home.run(["--config", config, "import", file]);
    expect([code, err]).toEqual([6, expect.stringContaining("2 records, 1 new")]);
    expect(await quarantine()).toEqual([{ reason: "too_large", length: 2001 }]);
  });
});

const oddKeys: Readonly<Record<string, object>> = {
  "control characters": { "a\u0000b": 1, "\u001e": 2, "\n": 3 },
  "quotes and braces": { "it's": 1, 'we"ird': 2, "{}": 3, "\\": 4, "a;b--c": 5 },
  "names that the load uses": { page: 1, others: 2, filename: 3, json: 4, text_count: 5 },
  "nothing and blanks": { "": 1, " ": 2 },
  "one letter in two cases": { Time: 1, TIME: 2, shade: 3, Shade: 4 },
  "names that objects have": JSON.parse('{"__proto__":1,"constructor":2,"toString":3}') as object,
};

it("unusual keys are stored in extra", async () => {
  const odd = Object.entries(oddKeys).map(([event_name, own]) =>
    JSON.stringify({ time, event_name, ...own }),
  );
  const file = home.write("odd.ndjson", formatLines([...odd, { time, event_name: "none" }]));
  const { code, err } = await home.run(["import", file]);
  expect([code, err]).toEqual([0, expect.stringContaining("7 records, 7 new")]);
  const rows = await home.rows("select event_name, extra from events where event_name <> 'none'");
  expect(rows).toHaveLength(odd.length);
  for (const { event_name: name, extra } of rows)
    expect([name, Object.entries(JSON.parse(String(extra)) as object).sort()]).toEqual([
      name,
      Object.entries(oddKeys[String(name)]!).sort(),
    ]);
});

it("are found as records where the configuration says, also in a rebuild", async () => {
  const config = home.write(
    "auditlake.json",
    JSON.stringify({ sources: { a: { audits: { records_at: "data.items" } } } }),
  );
  const body = JSON.stringify({ links: [{ a: 1 }], data: { items: records } });
  const run = (...argv: string[]) => home.run(["--config", config, ...argv]);
  expect((await run("import", home.write("deep.json", body))).err).toContain("50 records, 50 new");
  expect((await run("import", home.write("flat.json", JSON.stringify(records)))).err).toContain(
    "0 new",
  );
  expect((await run("rebuild")).err).toContain("same as before");
  expect(await events()).toBe(50);
});
