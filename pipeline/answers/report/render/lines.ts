import type { TextForm } from "../../../base/rows/row.ts";
import type { Render } from "../result.ts";

/** Writes a form of text files piece by piece as the rows come. */
export function lines(form: TextForm): Render {
  return async function* ({ columns, batches }, options) {
    const header = options.header === false ? "" : form.header(columns, options);
    if (header !== "") yield header;
    for await (const batch of batches) yield form.rows(batch, columns, options);
  };
}
