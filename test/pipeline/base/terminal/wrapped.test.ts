import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { fitHelp } from "../../../../pipeline/base/terminal/amounts.ts";

const help = `Usage: auditlake sql [options]

Options:
  --file <file>   a line of the list, which is laid out already

The query is one SELECT. It runs in a process of
its own, and reads nothing else.

Examples:
  auditlake sql "select area, count(*) as events from events"
`;

describe("a help text", () => {
  it("stays unchanged if it fits, or without a limit", () => {
    expect(fitHelp(help, 80)).toBe(help);
    expect(fitHelp(help, Number.POSITIVE_INFINITY)).toBe(help);
  });

  it("has its paragraphs wrapped again if one is too wide, and nothing else", () => {
    const [before, after] = help.split(/The query[^]*nothing else\./);
    expect(fitHelp(help, 40)).toBe(
      `${before}The query is one SELECT. It runs in a\nprocess of its own, and reads nothing\nelse.${after}`,
    );
  });

  it("keeps all its words in their order, in lines as narrow as possible", () => {
    const word = fc.stringMatching(/^[a-z]{1,12}$/);
    const line = fc.array(word, { minLength: 1, maxLength: 12 }).map((words) => words.join(" "));
    fc.assert(
      fc.property(
        fc.array(line, { maxLength: 6 }),
        fc.integer({ min: 12, max: 60 }),
        (lines, width) => {
          const fitted = fitHelp(lines.join("\n"), width);
          expect(fitted.split(/\s/)).toEqual(lines.join("\n").split(/\s/));
          expect(Math.max(...fitted.split("\n").map(({ length }) => length))).toBeLessThanOrEqual(
            width,
          );
        },
      ),
      { seed: 1 },
    );
  });
});
