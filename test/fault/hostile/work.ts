import { getMessage } from "../../../pipeline/base/errors.ts";
import { temporaryFolder } from "../../support/load.ts";
import type { Work } from "../children.ts";
import { makeSeed } from "../figure.ts";
import { generatedCases } from "./calls.ts";
import { asReport, ways } from "./as-report.ts";
import { reportCase, writtenCases } from "./cases.ts";
import { attack, newField } from "./field.ts";

// Every so many-th first, so that a short run sees something of each kind.
const everyFirst = <T>(step: number, all: readonly T[]): T[] =>
  Array.from({ length: step }, (_, first) => all.filter((_one, at) => at % step === first)).flat();

// The seed of a statement is its number: those of hostile.sql first, then the calls made from them. All of them
// follow again as the files of reports, each of which uses its rows in the next way.
export const work: Work = async ({ first, count }, report) => {
  const { TMPDIR, AUDITLAKE_API_KEY } = process.env;
  const { path, remove } = temporaryFolder();
  try {
    const field = await newField(path);
    const written = everyFirst(7, writtenCases(field.targets));
    const cases = [...written, ...(await generatedCases(field.targets))];
    const asReports = everyFirst(2, cases);
    const before = field.state();
    const failures: string[] = [];
    let longestMs = 0;
    let calls = 0;
    let bound = 0;
    for (let place = 0; place < count; place++) {
      const seed = makeSeed(first, place);
      const round = Math.floor((seed - 1) / cases.length) % 2;
      const one = (round === 0 ? cases : asReports)[(seed - 1) % cases.length]!;
      const way = ways[seed % ways.length]!;
      const hostile = round === 0 ? one : reportCase(one, way === "rows");
      const run = round === 0 ? undefined : asReport(way);
      const { overMs, isBound, complaints } = await attack(hostile, field, before, run).catch(
        (error: unknown) => ({
          overMs: 0,
          isBound: false,
          complaints: [`${hostile.title}: ${getMessage(error)}`],
        }),
      );
      longestMs = Math.max(longestMs, overMs);
      if (hostile.isCall) calls++;
      if (hostile.isCall && isBound) bound++;
      failures.push(...complaints.map((complaint) => `seed ${seed}: ${complaint}`));
      if (place % 100 === 99) report(`statements ${first} to ${seed} of ${cases.length}`);
    }
    return {
      done: count,
      failures,
      note: JSON.stringify({ longestMs: Math.round(longestMs), calls, bound }),
    };
  } finally {
    remove();
    restore({ TMPDIR, AUDITLAKE_API_KEY });
  }
};

// Undoes what laying out a field sets.
function restore(variables: Readonly<Record<string, string | undefined>>): void {
  for (const [name, value] of Object.entries(variables)) {
    delete process.env[name];
    if (value !== undefined) process.env[name] = value;
  }
}
