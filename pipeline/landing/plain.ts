import { closeBrace, openBrace, openBracket } from "../page/structure.ts";
import { reservedPrefix } from "../page/scan.ts";

// What only the walk of a record can settle: escaped control characters, keys of our own, and bytes that the
// database's reader of lines cannot stand.
const marks = ["\\u00", `"${reservedPrefix}`, 0, 31];

/**
 * A test for the records of a page, asked in their order: one without a second brace, a bracket or a line
 * break needs no walk. The searches run natively, which is what makes a million records quick.
 */
export function newPlainTest(bytes: Buffer): (start: number, end: number) => boolean {
  if (marks.some((mark) => bytes.includes(mark))) return () => false;
  const finders = [openBrace, openBracket, 10, 13].map((byte) => newFinder(bytes, byte));
  return (start, end) =>
    bytes[end - 1] === closeBrace && finders.every((next) => next(start) >= end);
}

/**
 * A test for the records of a page, asked in their order: whether one shows an id. It may be wrong about one
 * that spells its key unusually.
 */
export function newIdTest(bytes: Buffer): (start: number, end: number) => boolean {
  const next = newFinder(bytes, '"id":');
  return (start, end) => next(start) < end;
}

// Where a byte or text comes next; the positions asked for only grow.
function newFinder(bytes: Buffer, what: number | string): (after: number) => number {
  let found = -1;
  return (after) => {
    if (found <= after) {
      found = bytes.indexOf(what, after + 1, "latin1");
      if (found < 0) found = Infinity;
    }
    return found;
  };
}
