import type { Render } from "../result.ts";
import { rowObject } from "../../../base/rows/json-text.ts";

/** A JSON array of objects, one to a line. */
export const renderJson: Render = async function* (result) {
  let before = "[\n";
  for await (const batch of result.batches) {
    if (batch.length === 0) continue;
    yield before + batch.map((row) => rowObject(row, result.columns)).join(",\n");
    before = ",\n";
  }
  yield before === ",\n" ? "\n]\n" : "[]\n";
};
