import { expect, it } from "vitest";
import { formatTexts } from "../../../../pipeline/answers/status/print.ts";

const none = { parsed: 0, failed: 0, timed_out: 0, too_large: 0, waiting: 0 };

it.each([
  [
    { ...none, parsed: 1200, waiting: 3 },
    1000,
    "  query texts         1,200 parsed, 3 pending (the next runs parse them, newest first)\n",
  ],
  [
    { parsed: 1, failed: 2, timed_out: 3, too_large: 4, waiting: 5 },
    1000,
    "  query texts         1 parsed, 2 failed, 3 took too long, 4 too large, 5 pending (the next runs parse them, newest first)\n",
  ],
  [none, 1000, ""],
  [{ ...none, waiting: 3 }, 0, ""],
])(
  "the texts of %j are described, if a text may take %i milliseconds: %j",
  (facts, limitMs, line) => {
    expect(formatTexts(facts, limitMs)).toBe(line);
  },
);
