import { readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import type { Row } from "../../../../../pipeline/base/rows/row.ts";
import { listRows } from "../../../outgoing/targets/rows.ts";
import { deliver, filesBelow, newFolder } from "./setting.ts";

it.each(["csv", "ndjson"])(
  "a file of %s that cannot be written any more names its folder, and leaves nothing",
  async (format) => {
    const folder = newFolder();
    const { columns } = listRows(["x"], []);
    const batches = async function* (): AsyncGenerator<readonly Row[]> {
      yield await Promise.resolve([["a"]]);
      for (const name of readdirSync(folder)) rmSync(join(folder, name), { recursive: true });
      yield [["b"]];
    };
    const failed = deliver(folder, { columns, batches: batches() }, { format });
    await expect(failed).rejects.toThrow(`cannot write below ${folder}: `);
    await expect(failed).rejects.toThrow("; free space or correct the permissions, then run again");
    expect(filesBelow(folder)).toEqual([]);
  },
);
