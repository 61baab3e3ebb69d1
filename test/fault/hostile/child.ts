import { messageOf } from "../../../pipeline/errors.ts";
import { temporaryFolder } from "../../support/load.ts";
import { beChild } from "../children.ts";
import { seedOf } from "../figure.ts";
import { generatedCases } from "./calls.ts";
import { writtenCases } from "./cases.ts";
import { attack, newField } from "./field.ts";

// The seed of a statement is its number: those of hostile.sql first, then the calls made from them.
beChild(async ({ first, count }, tell) => {
  const { path, remove } = temporaryFolder();
  try {
    const field = await newField(path);
    const cases = [...writtenCases(field.targets), ...(await generatedCases(field.targets))];
    const before = field.state();
    const failures: string[] = [];
    let longestMs = 0;
    let calls = 0;
    let bound = 0;
    for (let place = 0; place < count; place++) {
      const seed = seedOf(first, place);
      const hostile = cases[(seed - 1) % cases.length]!;
      const { overMs, isBound, complaints } = await attack(hostile, field, before).catch(
        (error: unknown) => ({
          overMs: 0,
          isBound: false,
          complaints: [`${hostile.title}: ${messageOf(error)}`],
        }),
      );
      longestMs = Math.max(longestMs, overMs);
      if (hostile.isCall) calls++;
      if (hostile.isCall && isBound) bound++;
      failures.push(...complaints.map((complaint) => `seed ${seed}: ${complaint}`));
      if (place % 100 === 99) tell(`statements ${first} to ${seed} of ${cases.length}`);
    }
    return {
      done: count,
      failures,
      note: JSON.stringify({ longestMs: Math.round(longestMs), calls, bound }),
    };
  } finally {
    remove();
  }
});
