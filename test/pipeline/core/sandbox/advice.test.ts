import { describe, expect, it } from "vitest";
import { adviseOn, type Circumstances } from "../../../../pipeline/core/sandbox/advice.ts";

function advise(text: string, changes: Partial<Circumstances> = {}): string {
  return adviseOn(text, { stage: "run", sql: "select 1", memoryLimit: "600MB", ...changes });
}

describe("an error of the database", () => {
  it("is one line, followed by its place", () => {
    const text =
      'Failed to extract statements: Parser Error: syntax error at or near "x"\n\nLINE 1: x\n        ^';
    expect(advise(text)).toBe('Parser Error: syntax error at or near "x"\nLINE 1: x\n        ^');
  });

  it("has no advice that does not apply", () => {
    const text =
      "Out of Memory Error: failed to allocate\n\nPossible solutions:\n* Increasing the memory limit (SET memory_limit='...GB')\n\nSee also https://example.com";
    expect(advise(text)).toBe(
      "Out of Memory Error: the query needs more memory than its limit\nhint: request less, such as a shorter range of event_time, or raise memory_limit (600MB) in the configuration",
    );
  });

  it("does not name internal tables of the database", () => {
    const text =
      'Catalog Error: Table with name evts does not exist!\nDid you mean "pg_sequences"?';
    expect(advise(text)).toMatch(
      /^Catalog Error: Table with name evts does not exist!\nhint: .*show tables/,
    );
  });

  it("distinguishes quotes for names from quotes for text", () => {
    const text = 'Binder Error: Referenced column "denied" not found in FROM clause!';
    expect(advise(text, { sql: 'select * from events where outcome = "denied"' })).toContain(
      "single quotes for text: 'denied'",
    );
    expect(advise(text, { sql: "select denied from events" })).toContain("describe events");
  });

  it("omits values of records", () => {
    const text = "Conversion Error: Could not convert string 'ann@example.com' to INT32";
    expect(advise(text)).toMatch(
      /^Conversion Error: Could not convert string '…' to INT32\nhint: try_cast/,
    );
  });

  it.each([
    [
      "Permission Error: File system LocalFileSystem has been disabled by configuration",
      /no other file/,
    ],
    [
      'Catalog Error: Scalar Function with name "st_point" is not in the catalog, but it exists in the spatial extension.\n\nPlease try installing and loading the spatial extension:\nINSTALL spatial;\nLOAD spatial;',
      /\.\nhint: .*no other file, network or extension$/,
    ],
    [
      'IO Error: Could not set lock on file "/x": Conflicting lock is held in /y (PID 1)',
      /^IO Error: another program has the published file open for writing\nhint: close it/,
    ],
    [
      "Binder Error: Cannot compare values of type TIMESTAMP and type INTEGER_LITERAL",
      /timestamp '2026-01-31/,
    ],
    ["Parser Error: syntax error at end of input", /still open/],
  ])("%s", (text, expected) => {
    expect(advise(text)).toMatch(expected);
  });

  it("prints how to get a readable file", () => {
    const text = 'IO Error: The file "x" exists, but it is not a valid DuckDB database file!';
    expect(advise(text, { stage: "open" })).toContain("auditlake publish");
    expect(advise(text)).not.toContain("hint");
  });
});
