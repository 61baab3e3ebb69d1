import { expect, it } from "vitest";
import { AuditlakeError, getMessage } from "../../../../pipeline/base/errors.ts";
import { DatabaseDown, loadFault } from "../../../../pipeline/core/store/fault.ts";

it.each([
  [
    "Out of Memory Error: could not allocate",
    /failed during the load \(Out of Memory Error\); nothing of this read was stored; raise memory_limit/,
  ],
  [
    "IO Error: something about secrets",
    /\(IO Error\); nothing of this read was stored; check free space/,
  ],
  ["Odd Error: x", /\(Odd Error\); .*; run it again, and report it/],
  ["TransactionContext Error: COMMIT succeeded, and then", /committed data is safe/],
  [
    'IO Error: Could not write file "/h/x.duckdb": No space left on device',
    /^cannot write \/h\/x\.duckdb: no space left on device; nothing of this read was stored; free disk space/,
  ],
])(
  "a failure of %s is reported by kind and remedy, without the database's text",
  (text, expected) => {
    const fault = loadFault(new Error(text));
    expect(fault).toBeInstanceOf(AuditlakeError);
    expect(getMessage(fault)).toMatch(expected);
    expect(getMessage(fault)).not.toMatch(/secrets|allocate/);
  },
);

it("a fatal failure ends the database, and others are unchanged", () => {
  expect(loadFault(new Error("FATAL Error: down"))).toBeInstanceOf(DatabaseDown);
  const own = new Error("not of the database");
  expect(loadFault(own)).toBe(own);
});
