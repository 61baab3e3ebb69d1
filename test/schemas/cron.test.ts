import fc from "fast-check";
import { expect, test } from "vitest";
import { parseCron } from "../../schemas/cron.ts";

// Seed 002, Scheduled result export.

const every = { minute: null, hour: null, dayOfMonth: null, month: null, dayOfWeek: null };

test.each([
  ["* * * * *", every],
  ["5 * * * *", { ...every, minute: [5] }],
  ["*/20 * * * *", { ...every, minute: [0, 20, 40] }],
  ["* 9-11 * * *", { ...every, hour: [9, 10, 11] }],
  ["* * */10 * *", { ...every, dayOfMonth: [1, 11, 21, 31] }],
  ["* * * jan,DEC,3 *", { ...every, month: [1, 3, 12] }],
  ["* * * * mon-fri", { ...every, dayOfWeek: [1, 2, 3, 4, 5] }],
  ["* * * * 0", { ...every, dayOfWeek: [0] }],
  ["1,10-12,*/30 * * * *", { ...every, minute: [0, 1, 10, 11, 12, 30] }],
  ["  0   0  1 1 sun ", { minute: [0], hour: [0], dayOfMonth: [1], month: [1], dayOfWeek: [0] }],
])("rules 2 and 3: %s", (text, fields) => {
  expect(parseCron(text)).toEqual(fields);
});

test.each([
  ["0 0 1 *", /has 4 fields; expected five/],
  ["0 0 0 1 * *", /has 6 fields/],
  ["60 * * * *", /^minute: found "60"; expected .* from 0 to 59/],
  ["* 24 * * *", /^hour: found "24"/],
  ["* * 0 * *", /^day of month: found "0"; expected .* from 1 to 31/],
  ["* * * 13 *", /^month: found "13"; expected .* from 1 to 12 or jan to dec/],
  ["* * * * 7", /^day of week: found "7"; expected .* from 0 to 6 or sun to sat/],
  ["* * * mon *", /^month: found "mon"/],
  ["5-1 * * * *", /the range 5-1 is reversed/],
  ["*/0 * * * *", /a step of 0/],
  ["*/90 * * * *", /^minute: found "\*\/90"; a step of 90 exceeds the field; expected/],
  ["0 */24 * * *", /^hour: .*a step of 24/],
  // Seed 002, Scheduled result export, rule 3: a list mixes values, ranges and steps, but not the bare star.
  ["*,5 * * * *", /^minute: found "\*,5"/],
  ["1-5/2 * * * *", /^minute: found "1-5\/2"/],
  ["1,,2 * * * *", /^minute/],
  ["-1 * * * *", /^minute/],
])("rules 2 and 3: %s is refused", (text, message) => {
  expect(() => parseCron(text)).toThrow(message);
});

test("rule 2: the names of all days and months", () => {
  const days = "sun,mon,tue,wed,thu,fri,sat".split(",");
  const months = "jan,feb,mar,apr,may,jun,jul,aug,sep,oct,nov,dec".split(",");
  for (const [at, day] of days.entries())
    expect(parseCron(`* * * * ${day}`).dayOfWeek).toEqual([at]);
  for (const [at, month] of months.entries())
    expect(parseCron(`* * * ${month} *`).month).toEqual([at + 1]);
});

test("any text gives fields or a message of one line", () => {
  const text = fc.stringMatching(/^[0-9a-z*,/ -]{0,30}$/);
  fc.assert(
    fc.property(text, (any) => {
      try {
        for (const field of Object.values(parseCron(any)))
          expect(field === null || field.length > 0).toBe(true);
      } catch (error) {
        expect((error as Error).name).toBe("CronError");
        expect((error as Error).message).not.toContain("\n");
      }
    }),
    { seed: 7, numRuns: 2000 },
  );
});
