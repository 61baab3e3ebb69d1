import { type Line, formatLine } from "../../../../pipeline/base/notice/printer.ts";
import { expect, it, onTestFinished } from "vitest";
import { getKeptClass, leaveClass } from "../../../../pipeline/outgoing/activations/classes.ts";
import type { PreparedActivation } from "../../../../pipeline/outgoing/activations/started.ts";
import { openLedger } from "../../../../pipeline/outgoing/targets/ledger.ts";
import { makeFolders } from "../../../../pipeline/base/home/durable.ts";
import { resolveHome } from "../../../../pipeline/base/home/layout.ts";
import { dirname } from "node:path";
import { temporaryFolder } from "../../../support/load.ts";

it.each([
  [0, undefined],
  [1, "1 row"],
  [2, "2 rows"],
])(
  "a class without its mapping has %i open rows reported, and all others counted",
  async (open, said) => {
    const { path, remove } = temporaryFolder();
    onTestFinished(remove);
    const printed: string[] = [];
    const order = { print: (line: Line) => void printed.push(formatLine(line)) };
    const settings = { home: resolveHome(path) };
    const started = { settings, name: "people", order } as unknown as PreparedActivation;
    const kept = getKeptClass("new", 4 + open, started, 1);
    makeFolders(dirname(kept.files.ledger));
    {
      await using ledger = await openLedger(kept.files.ledger);
      await ledger.record([[1, 2]], "accepted");
      await ledger.record([[3, 3]], "refused", "no");
      await ledger.record([[4, 4]], "uncertain");
    }
    const tally = { accepted: 1, refused: 0, uncertain: 0 };
    const { isWhole, missed } = await leaveClass("new", kept, started, tally);
    expect(tally).toEqual({ accepted: 3, refused: 1, uncertain: 1 });
    expect(isWhole).toBe(true);
    expect(missed.map(({ state, rows }) => [state, rows.length])).toEqual([
      ["refused", 1],
      ["uncertain", 1],
      ["open", open],
    ]);
    expect(printed).toEqual(
      said === undefined
        ? []
        : [expect.stringMatching(`^warning: new: its mapping was removed .*; ${said} of it`)],
    );
  },
);
