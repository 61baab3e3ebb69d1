import fc from "fast-check";
import { expect, it } from "vitest";
import { listDays } from "../../../../../pipeline/answers/chart/slots.ts";
import { computeUsual } from "../../../../../pipeline/answers/chart/usual.ts";
import { writeDayTable } from "../../../../../pipeline/adapters/serve/reports/day-table.ts";
import { getMarkupText } from "../../../../../pipeline/base/html/markup.ts";

const count = 35;
const days = listDays("2026-10-25", "2026-11-28");
const amounts = fc.array(fc.oneof(fc.constant(0), fc.nat(60)), {
  minLength: count,
  maxLength: count,
});
const parts = fc.uniqueArray(fc.nat(count - 1), { maxLength: 3 });

function readRows(page: string): string[][] {
  const [, body = ""] = /<tbody>([^]*)<\/tbody>/.exec(page) ?? [];
  return [...body.matchAll(/<tr>([^]*?)<\/tr>/g)].map(([, row]) =>
    [...row!.matchAll(/<td[^>]*>([^]*?)<\/td>/g)].map(([, cell]) =>
      cell!
        .replaceAll(/<[^>]*>/g, "")
        .replaceAll(/\s+/g, " ")
        .trim(),
    ),
  );
}

it("shows each amount of a stack by day once, the newest day first, and marks those far above usual", () => {
  fc.assert(
    fc.property(amounts, amounts, parts, (failed, denied, partSlots) => {
      const isPart = (slot: number): boolean => partSlots.includes(slot);
      const slots = days.map((day, slot) => ({ name: day, isPart: isPart(slot), href: `/${day}` }));
      const series = [
        { name: "failed", value: "bad", paint: "c1" as const, values: failed },
        { name: "denied", paint: "c2" as const, values: denied },
      ];
      const usual = days.map(() => 1);
      const getHref = (day: string, value: string): string => `${day}/${value}`;
      const stack = { chart: { label: "Denials", slots, series, usual }, days, getHref };
      const page = getMarkupText(writeDayTable(stack, { zone: "UTC" }));
      const rows = readRows(page);
      const linked = days.filter((_, slot) => failed[slot]! > 0).map((day) => `/${day}/bad`);
      const links = [...page.matchAll(/href="([^"]+\/bad)"/g)].map(([, href]) => href!);
      expect(links.toReversed()).toEqual(linked);
      expect(rows).toHaveLength(count);
      rows.toReversed().forEach(([day, all, shownUsual, ...cells], slot) => {
        expect(day).toBe(days[slot]! + (isPart(slot) ? " part of the day" : ""));
        expect(Number(all)).toBe(failed[slot]! + denied[slot]!);
        expect(shownUsual).toBe(isPart(slot) ? "—" : "1");
        [failed, denied].forEach((values, i) => {
          const daily = values.map((amount, each) => (isPart(each) ? null : amount));
          const before = isPart(slot) ? null : computeUsual(daily, slot);
          const isFar = before !== null && values[slot]! >= 10 && values[slot]! >= 1.7 * before;
          expect(cells[i]).toBe(`${isFar ? "▲ " : ""}${values[slot]!}`);
        });
      });
    }),
    { numRuns: 30 },
  );
});
