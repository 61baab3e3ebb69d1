import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { trafficOf } from "../../../fixtures/traffic.ts";
import { stagePage, type Staged, type StageMode } from "../../../pipeline/landing/stage.ts";
import { PageError } from "../../../pipeline/page/error.ts";
import { detectFormat, type PageFormat } from "../../../pipeline/page/format.ts";
import { countRecords } from "../../../pipeline/page/records.ts";
import fingerprint from "../../../schemas/fingerprint.json" with { type: "json" };
import { newHome } from "../../support/home.ts";
import { temporaryFolder } from "../../support/load.ts";
import { damaged, damagedPages } from "./mutations.ts";

// Damage of any kind: a page is refused as a whole, or each of its records is staged or kept for the
// quarantine. Nothing else is thrown and nothing gets lost.

const folder = temporaryFolder();
afterAll(folder.remove);

const dayMs = 86_400_000;
const from = Date.UTC(2026, 0, 5);
const traffic = trafficOf({ seed: 3, from, to: from + dayMs, eventsPerDay: 300 });
const day = [...traffic.events()].map(({ record }) => record);
const odd = [
  { time: 1, old_value: { b: [1, { c: "}]" }], a: '{"x":1,"y":2}' }, shade: "red", größe: 1.5 },
  { time: "2", event_name: "\u001e\u0000", "a\tb": null, n: 2 ** 63 },
  { time: 3, event_name: "line\nbreak", query_text: "select 1, '\u{1f600}'" },
];
const records = [...odd, ...day.slice(0, 5)];

const bodies: Readonly<Record<string, Buffer>> = {
  array: Buffer.from(JSON.stringify(records)),
  pretty: Buffer.from(JSON.stringify(records, null, 1)),
  envelope: Buffer.from(JSON.stringify({ count: 8, audits: records, next_page: null })),
  lines: Buffer.from(records.map((record) => `${JSON.stringify(record)}\n`).join("")),
  csv: Buffer.from('time,event_name,a\n1,"x, ""y""",é\n2,"a\r\nb",\n3,,c\n'),
};

const rules = {
  baseline: fingerprint.baseline,
  maxRecordBytes: 4000,
};

type Outcome = Staged & { readonly format: PageFormat; readonly lines: readonly string[] };

/** What becomes of a page; undefined where it is refused. */
function outcomeOf(bytes: Buffer, mode: StageMode): Outcome | undefined {
  const file = join(folder.path, "staged.ndjson");
  rmSync(file, { force: true });
  try {
    const format = detectFormat(bytes);
    const { records: count } = countRecords(bytes, format, null);
    const staged = stagePage(bytes, format, null, rules, file, mode);
    expect(staged.fetched).toBe(count);
    const lines = readFileSync(file, "utf8").split("\n").slice(0, -1);
    return { ...staged, format, lines };
  } catch (error) {
    if (error instanceof PageError) return undefined;
    throw error;
  }
}

/** How many records a parser finds in a JSON page; undefined where it finds no page. */
function parsedCount(bytes: Buffer): number | undefined {
  try {
    const body = JSON.parse(bytes.toString("utf8").replace(/^\ufeff/, "")) as { audits?: unknown };
    const found = Array.isArray(body) ? body : body.audits;
    return Array.isArray(found) ? found.length : undefined;
  } catch {
    return undefined;
  }
}

describe.each(Object.entries(bodies))("a damaged page (%s)", (name, body) => {
  const share = Math.ceil(damagedPages / 5);

  it("is refused, or every record of it is staged or rejected", () => {
    let refused = 0;
    for (let seed = 0; seed < share; seed++) {
      const bytes = damaged(body, seed);
      const careful = outcomeOf(bytes, "careful");
      const quick = outcomeOf(bytes, "quick");
      const what = `${name}, seed ${seed}`;
      expect([what, quick?.fetched]).toEqual([what, careful?.fetched]);
      if (careful === undefined) refused++;
      for (const outcome of [careful, quick])
        if (outcome !== undefined)
          expect([what, outcome.lines.length + outcome.rejects.length]).toEqual([
            what,
            outcome.fetched,
          ]);
      for (const line of careful?.lines ?? [])
        expect(() => JSON.parse(line) as unknown, what).not.toThrow();
    }
    // Damage to a record is no reason to refuse the page.
    expect(refused).toBeLessThan(share * 0.8);
  });

  // A parser of JSON can count for the other formats alone.
  if (name === "csv" || name === "lines") return;

  it("has as many records as a parser finds", () => {
    for (let seed = 0; seed < share; seed++) {
      const bytes = damaged(body, seed);
      const count = parsedCount(bytes);
      const outcome = outcomeOf(bytes, "quick");
      if (count === undefined || outcome === undefined || outcome.format !== "json") continue;
      expect([seed, outcome.fetched]).toEqual([seed, count]);
    }
  });
});

describe("damaged lines in a file", () => {
  it.each(["lines", "csv"])("are loaded or quarantined, each of them (%s)", async (name) => {
    using home = newHome();
    const lines: Buffer[] = [];
    const share = Math.ceil(damagedPages / 3);
    for (let seed = 0; seed < share; seed++) {
      const record = JSON.stringify({
        ...records[seed % records.length],
        session_id: String(seed),
      });
      const text = name === "lines" ? record : `1767225600,é {[ ]},${seed}`;
      // One line stays one line.
      const line = damaged(Buffer.from(text), seed).filter((byte) => byte !== 10 && byte !== 13);
      if (name === "lines") lines.push(Buffer.from(line));
      else if (!line.includes(34) && line.length > 0) lines.push(Buffer.from(line));
    }
    const head = name === "csv" ? ["time,event_name,session_id"] : [JSON.stringify(records[0])];
    const file = Buffer.concat(
      [...head.map((h) => Buffer.from(h)), ...lines].flatMap((l) => [l, Buffer.from("\n")]),
    );
    const { code, err } = await home.run(["import", home.write("damaged", file)]);
    expect([code, err.includes("error")]).toEqual([0, false]);
    // Blanks are no record on a line, and one cell in CSV.
    const isBlank = (line: Buffer): boolean =>
      name === "lines" && line.toString("latin1").trim() === "";
    const blank = lines.filter(isBlank).length;
    const [sums] = await home.rows(
      "select sum(fetched)::int as fetched, sum(inserted + duplicate)::int as kept, sum(quarantined)::int as quarantined from ingest_pages",
    );
    const fetched = lines.length - blank + (name === "csv" ? 0 : 1);
    expect(sums).toMatchObject({ fetched });
    expect(Number(sums!["kept"]) + Number(sums!["quarantined"])).toBe(fetched);
    expect(
      await home.count("select count(*) from quarantine where contains(record_text, '\ufffd')"),
    ).toBe(0);
    expect(
      await home.count("select count(*) from events where contains(event_name, '\ufffd')"),
    ).toBe(0);
  });
});
