import { expect, test } from "vitest";
import { withEnvelopes } from "../../../../../pipeline/core/source/discovery/envelopes.ts";
import type { Reading } from "../../../../../pipeline/core/source/discovery/proof.ts";
import { buildSource } from "./found.ts";

const { audits } = buildSource();
const records = [1, 2, 3, 4, 5];

function totalAt(envelopes: readonly unknown[], isPart = false): unknown {
  const pages = envelopes.map((envelope) => ({ envelope }));
  const reading = { pages, records, signs: [], isPart, fault: undefined } as unknown as Reading;
  return withEnvelopes({ ...audits, total_at: "before" }, reading).total_at;
}

test.each<[what: string, envelopes: readonly unknown[], found: string | null]>([
  ["found under a name of its own", [{ found: 5 }, { found: 5 }], "found"],
  [
    "found below others",
    [{ meta: { all: 5, page: 1 } }, { meta: { all: 5, page: 2 } }],
    "meta.all",
  ],
  ["a name that is known", [{ total: 5 }, { total: 5 }], null],
  [
    "a known one beside another",
    [
      { all: 5, total: 5 },
      { all: 5, total: 5 },
    ],
    null,
  ],
  ["another number", [{ found: 6 }, { found: 6 }], null],
  ["it on the first page alone", [{ found: 5 }, { found: 4 }], null],
  ["it on all pages but the last", [{ found: 5 }, { found: 5 }, {}], null],
  ["a text", [{ found: "5" }, { found: "5" }], null],
  ["nothing", [{}, {}], null],
])("the place of the total of records is found: %s", (_, envelopes, found) => {
  expect(totalAt(envelopes)).toBe(found);
});

test("one page, or a part of them, proves no total", () => {
  expect(totalAt([{ found: 5 }])).toBe("before");
  expect(totalAt([{ found: 5 }, { found: 5 }], true)).toBe("before");
});
