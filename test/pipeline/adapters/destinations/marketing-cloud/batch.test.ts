import { expect, it } from "vitest";
import {
  type Batching,
  splitIntoBatches,
  newSupply,
} from "../../../../../pipeline/adapters/destinations/marketing-cloud/batch.ts";
import { RowError } from "../../../../../pipeline/adapters/destinations/marketing-cloud/layout.ts";
import {
  explainAnswer,
  newTally,
  note,
  formatSoFar,
} from "../../../../../pipeline/adapters/destinations/marketing-cloud/tally.ts";
import { listRows } from "../../../outgoing/targets/rows.ts";

const all = () => true;
const supply = (texts: readonly string[], isWanted: (number: number) => boolean = all, size = 2) =>
  newSupply(
    listRows(
      ["text"],
      texts.map((text) => [text]),
      size,
    ),
    isWanted,
  );

/** The numbers of the rows of each batch, or why there are none. */
async function split(texts: readonly string[], change: Partial<Batching> = {}): Promise<unknown> {
  const write = ([cell]: readonly unknown[]): string => {
    if (cell === "bad") throw new RowError("does not fit");
    return String(cell);
  };
  const batching: Batching = { maxRows: 3, maxBytes: 1000, write, leaveOut: undefined, ...change };
  const found: (readonly number[])[] = [];
  try {
    for await (const { items, numbers } of splitIntoBatches(supply(texts), batching)) {
      expect(items).toEqual(numbers.map((number) => texts[number - 1]));
      found.push(numbers);
    }
    return found;
  } catch (error) {
    return (error as Error).message;
  }
}

it.each<[texts: string[], change: Partial<Batching>, expected: unknown]>([
  [[], {}, []],
  [["a", "b", "c"], {}, [[1, 2, 3]]],
  [["a", "b", "c", "d"], {}, [[1, 2, 3], [4]]],
  // A frame of 32 bytes, and one more than its length for each row.
  [["aaaa", "bbbb", "cccc"], { maxBytes: 42 }, [[1, 2], [3]]],
  [["aaaa", "bbbb"], { maxBytes: 41 }, [[1], [2]]],
  [["é"], { maxBytes: 34 }, [[1]]],
  [
    ["é"],
    { maxBytes: 33 },
    "row 1 is not a valid record: is longer than the limit of a call (33 bytes)",
  ],
  [["a", "bad", "c"], {}, "row 2 is not a valid record: does not fit"],
])("splits %j with %j into %j", async (texts, change, expected) => {
  expect(await split(texts, change)).toEqual(expected);
});

it("skips what does not fit if configured so, and names it", async () => {
  const left: string[] = [];
  const leaveOut = async (number: number, why: string): Promise<void> =>
    void left.push(`${number} ${why}`);
  const found = await split(["a", "bad", "much too long", "d"], { leaveOut, maxBytes: 40 });
  expect(found).toEqual([[1, 4]]);
  expect(left).toEqual(["2 does not fit", "3 is longer than the limit of a call (40 bytes)"]);
});

it("gives the rows that are wanted by their numbers, and counts the others", async () => {
  for (const size of [1, 2, 7]) {
    const rows = supply(["a", "b", "c", "d", "e"], (number) => number % 2 === 0, size);
    expect(await rows.next()).toEqual({ row: ["b"], number: 2 });
    expect([rows.taken(), await rows.rest(), await rows.next()]).toEqual([2, 3, undefined]);
  }
});

it("keeps ten notes and counts the others", () => {
  const tally = newTally();
  for (let i = 1; i <= 12; i++) note(tally, `n${i}`);
  expect([tally.notes.length, tally.notes.at(-1), tally.unlisted]).toEqual([10, "n10", 2]);
  expect(formatSoFar("crm", { ...tally, accepted: 1 })).toBe("target crm: 1 row so far");
});

const answer = (status: number, mayHaveActed: boolean) =>
  ({
    outcome: "answered",
    answer: { status, text: '{"errorcode":7}' },
    mayHaveActed,
    tries: 1,
  }) as never;

it.each<[status: number, mayHaveActed: boolean, meaning: object]>([
  [200, true, { kind: "taken" }],
  [299, false, { kind: "taken" }],
  [
    300,
    false,
    {
      kind: "hopeless",
      why: "rows: answered 300 (error 7); check the addresses",
      code: 1,
      isUncertain: false,
    },
  ],
  [400, true, { kind: "failed", why: "rows: answered 400 (error 7)", code: 1, isUncertain: true }],
  [
    401,
    false,
    {
      kind: "hopeless",
      why: "rows: answered 401 (error 7); check the rights of the installed package",
      code: 4,
    },
  ],
  [403, false, { kind: "hopeless", code: 4 }],
  [404, false, { kind: "hopeless", code: 1 }],
  [405, false, { kind: "hopeless", code: 1 }],
  [500, false, { kind: "failed", code: 1 }],
])(
  "an answer %i, with an earlier try that may have acted: %s, means %j",
  (status, mayHaveActed, meaning) => {
    expect(explainAnswer(answer(status, mayHaveActed), "rows")).toMatchObject(meaning);
  },
);

it("stops if no answer came, and reports what may have arrived", () => {
  const lost = {
    outcome: "lost",
    status: undefined,
    why: "cut off",
    isFinal: false,
    fault: new Error(),
    mayHaveActed: true,
    tries: 1,
  };
  expect(explainAnswer(lost as never, "rows")).toEqual({
    kind: "hopeless",
    why: "rows: cut off",
    code: 1,
    isUncertain: true,
  });
});
