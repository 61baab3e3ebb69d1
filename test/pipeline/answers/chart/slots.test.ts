import { expect, it } from "vitest";
import { listDays, listSlots } from "../../../../pipeline/answers/chart/slots.ts";

const labelsOf = (starts: readonly string[]): (string | undefined)[] =>
  listSlots(starts).flatMap(({ label }) => (label === undefined ? [] : [label]));

const hoursFrom = (start: string, step: number, count: number): string[] =>
  Array.from({ length: count }, (_, i) =>
    new Date(Date.parse(`${start}Z`) + i * step * 3_600_000)
      .toISOString()
      .slice(0, 19)
      .replace("T", " "),
  );

it("labels the Mondays of a month, every second one on a phone", () => {
  const slots = listSlots(listDays("2026-10-28", "2026-11-27"));
  expect(slots).toHaveLength(31);
  const labelled = slots.filter(({ label }) => label !== undefined);
  expect(labelled.map(({ label, isMinor }) => [label, isMinor])).toEqual([
    ["2 Nov", false],
    ["9 Nov", true],
    ["16 Nov", false],
    ["23 Nov", true],
  ]);
  expect(slots[0]!.name).toBe("Wed 28 Oct");
  expect(
    slots.flatMap(({ isWeekend, name }) => (isWeekend === true ? [name] : [])).slice(0, 3),
  ).toEqual(["Sat 31 Oct", "Sun 1 Nov", "Sat 7 Nov"]);
});

it("labels the days of a week, months of a year, and hours of a day", () => {
  expect(labelsOf(listDays("2026-11-20", "2026-11-26"))).toHaveLength(7);
  expect(labelsOf(listDays("2026-07-15", "2027-01-20"))).toEqual([
    "Aug",
    "Sep",
    "Oct",
    "Nov",
    "Dec",
    "Jan 2027",
  ]);
  expect(labelsOf(hoursFrom("2026-11-20", 2, 90))).toEqual(
    [20, 21, 22, 23, 24, 25, 26, 27].map((day) => `${day} Nov`),
  );
  expect(labelsOf(hoursFrom("2026-11-20T12:00:00", 0.25, 96))).toEqual([
    "12:00",
    "15:00",
    "18:00",
    "21:00",
    "21 Nov",
    "03:00",
    "06:00",
    "09:00",
  ]);
});

it("names a slot by its day, its hours, or its first and last day", () => {
  expect(listSlots(hoursFrom("2026-11-20", 2, 12))[7]!.name).toBe("Fri 20 Nov 14:00–16:00");
  expect(listSlots(["2026-11-16", "2026-11-23"])[0]!.name).toBe("16 Nov – 22 Nov");
});
