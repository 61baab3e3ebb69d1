import { describe, expect, it } from "vitest";
import { mapOutputs } from "../../../../pipeline/outgoing/targets/outputs.ts";
import type { Row, Rows } from "../../../../pipeline/base/rows/row.ts";
import { outputs } from "../../../../schemas/outputs.ts";
import { listRows } from "./rows.ts";

const facts = { nowMs: Date.UTC(2026, 10, 21, 2, 15), id: "new_denials", title: "New denials" };

async function mapAll(given: unknown): Promise<{ names: string[]; rows: Row[] }> {
  const rows = listRows(
    ["actor", "denials"],
    [
      ["ana", 3n],
      ["bo", null],
    ],
  );
  const result: Rows = mapOutputs(
    rows,
    given === undefined ? undefined : outputs.parse(given),
    facts,
  );
  const all: Row[] = [];
  for await (const batch of result.batches) all.push(...batch);
  return { names: result.columns.map(({ name }) => name), rows: all };
}

describe("seed 002, D, output mapping", () => {
  it("rule 1: without a mapping, or with all columns, the result is sent unchanged", async () => {
    const all = {
      names: ["actor", "denials"],
      rows: [
        ["ana", 3n],
        ["bo", null],
      ],
    };
    expect(await mapAll(undefined)).toEqual(all);
    expect(await mapAll({})).toEqual(all);
  });

  it("rule 1: chosen columns keep their names unless renamed, in the chosen order", async () => {
    const columns = ["denials", { column: "actor", as: "user" }];
    expect(await mapAll({ columns })).toEqual({
      names: ["denials", "user"],
      rows: [
        [3n, "ana"],
        [null, "bo"],
      ],
    });
  });

  it("rule 2: string builder values are in each row", async () => {
    const string_builder = [
      { as: "from", value: "string", text: "auditlake" },
      { as: "at", value: "timestamp" },
      { as: "id", value: "segment_id" },
      { as: "name", value: "segment_name" },
      { as: "parent", value: "audience_id" },
    ];
    const { names, rows } = await mapAll({
      columns: ["actor"],
      string_builder,
      segment: { audience_id: "17" },
    });
    expect(names).toEqual(["actor", "from", "at", "id", "name", "parent"]);
    const built = ["auditlake", "2026-11-21T02:15:00Z", "new_denials", "New denials", "17"];
    expect(rows).toEqual([
      ["ana", ...built],
      ["bo", ...built],
    ]);
  });

  it("rule 2: the segment's own id and name take precedence over those of the report", async () => {
    const string_builder = [
      { as: "id", value: "segment_id" },
      { as: "name", value: "segment_name" },
    ];
    const segment = { id: "42", name: "Denied people" };
    const { rows } = await mapAll({ columns: ["actor"], string_builder, segment });
    expect(rows[0]).toEqual(["ana", "42", "Denied people"]);
  });

  it("rule 1: a column that is missing in the result is an error that names the existing ones", async () => {
    await expect(mapAll({ columns: ["user"] })).rejects.toThrow(
      "outputs.columns: the result has no column user; it has actor, denials",
    );
  });

  it("a built column may not take the name of a column of the result", async () => {
    const string_builder = [{ as: "actor", value: "timestamp" }];
    await expect(mapAll({ string_builder })).rejects.toThrow(
      "two columns would have the name actor",
    );
  });
});
