import { expect, it } from "vitest";
import { damaged } from "../../../../fault/bodies/damage.ts";
import { homeWithWarehouse } from "../../../../support/home.ts";

// Damage of any kind to the lines of a file; whole pages are the fault laboratory's (test/fault/bodies.ts).

const count = 1000;
const records = [
  { time: 1, old_value: { b: [1, { c: "}]" }], a: '{"x":1,"y":2}' }, shade: "red", größe: 1.5 },
  { time: "2", event_name: "\u001e\u0000", "a\tb": null, n: 2 ** 63 },
  { time: 3, event_name: "line\nbreak", query_text: "select 1, '\u{1f600}'" },
  { time: 4, event_name: "user_login", user_id: 7, ip_address: "10.0.0.1" },
];

it.each(["lines", "csv"])(
  "every damaged line of a file is loaded or quarantined (%s)",
  async (name) => {
    using home = await homeWithWarehouse();
    const lines: Buffer[] = [];
    for (let seed = 0; seed < count; seed++) {
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
    expect([code, err.includes("error")]).toEqual([6, false]);
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
  },
);
