import fc from "fast-check";
import { expect, test } from "vitest";
import { classifyInput } from "../../../../pipeline/adapters/prompt/prompt.ts";

test.each([
  ["", "empty"],
  ["  \n -- nothing yet", "empty"],
  ["select 1", "open"],
  ["select 1;", "done"],
  ["select 1; -- that is all", "done"],
  ["select 1; /* that is\nall */  ", "done"],
  ["select ';", "open"],
  ["select ';';", "done"],
  ["select 'it''s;", "open"],
  ['select ";";', "done"],
  ["select 1 -- not yet;", "open"],
  ["select 1 /* not yet; */", "open"],
  ["/* begun;", "open"],
  ["select $$a;$$", "open"],
  ["select $x$ ; $$ ; $x$;", "done"],
  ["select 1; select 2", "open"],
  ["select 1 - - 2;", "done"],
  ["select 4 / 2;", "done"],
] as const)("the input %j is %s", (text, standing) => {
  expect(classifyInput(text)).toBe(standing);
});

// Letter by letter, where the program takes pieces.
function endsOutside(text: string): boolean {
  let [mode, last] = ["", ""];
  for (let i = 0; i < text.length; i++) {
    const two = text.slice(i, i + 2);
    if (mode === "--") mode = text[i] === "\n" ? "" : mode;
    else if (mode === "/*") {
      if (two === "*/") [mode, i] = ["", i + 1];
    } else if (mode !== "") mode = text[i] === mode ? "" : mode;
    else if (two === "--" || two === "/*") [mode, i] = [two, i + 1];
    else if (text[i] === "'" || text[i] === '"') [mode, last] = [text[i]!, "x"];
    else if (text[i]!.trim() !== "") last = text[i]!;
  }
  return last === ";" && (mode === "" || mode === "--");
}

test("a statement ends at its last semicolon outside of quotes and comments", () => {
  const piece = fc.constantFrom(
    "'",
    '"',
    "--",
    "/*",
    "*/",
    ";",
    "\n",
    " ",
    "a",
    "''",
    "-",
    "/",
    "*",
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 14 }), (pieces) => {
      const text = pieces.join("");
      // Whether an open comment after the end is still one does not matter.
      fc.pre(!/;[^;]*\/\*(?:(?!\*\/)[\s\S])*$/.test(text));
      expect(classifyInput(text) === "done", JSON.stringify(text)).toBe(endsOutside(text));
    }),
    { numRuns: 3000 },
  );
});
