import { expect, test } from "vitest";
import type { Column } from "../../../pipeline/rows/row.ts";
import { rendered, resultOf, textColumns } from "./support.ts";

test("a table whose cells hold no markup", async () => {
  const columns: Column[] = [
    ...textColumns("actor_email", "note"),
    { name: "n", type: "BIGINT", kind: "number" },
  ];
  const result = resultOf(columns, [
    ["a_b@example.com", "x | y\r\nsecond\u001b", 3n],
    [null, "<b>*bold*</b> [l](http://x) ![i](u) `c` &amp; _e_ \\", -1n],
  ]);
  expect(await rendered("markdown", result)).toBe(
    [
      "| actor_email | note | n |",
      "| --- | --- | ---: |",
      String.raw`| a_b@example.com | x \| y<br>second\\u001b | 3 |`,
      String.raw`|  | \<b\>\*bold\*\</b\> \[l\](http://x) \!\[i\](u) \`c\` &amp;amp; \_e\_ \\ | -1 |`,
      "",
    ].join("\n"),
  );
});
