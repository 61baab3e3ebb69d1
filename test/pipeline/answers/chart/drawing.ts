import { DOMParser, type Element } from "@xmldom/xmldom";
import fc from "fast-check";
import type { AxisChart, Paint, Series, Slot } from "../../../../pipeline/answers/chart/chart.ts";
import { getMarkupText, type Markup } from "../../../../pipeline/base/html/markup.ts";

/** A drawing as its elements; throws where it is no well-formed XML. */
export function parseDrawing(drawing: Markup): Element {
  const text = getMarkupText(drawing);
  const onError = (_: string, message: string): never => {
    throw new Error(message);
  };
  return new DOMParser({ onError }).parseFromString(text, "text/xml").documentElement!;
}

/** The elements below one that have a tag and, where given, a class among their classes. */
export function findAll(root: Element, tag: string, name?: string): Element[] {
  const all = [...root.getElementsByTagName(tag)] as unknown as Element[];
  return all.filter(
    (each) => name === undefined || (each.getAttribute("class") ?? "").split(" ").includes(name),
  );
}

/** An attribute as a number, its per cent sign left out. */
export function readNumber(element: Element, name: string): number {
  return Number((element.getAttribute(name) ?? "NaN").replace("%", ""));
}

/** Names that try to be markup, to leave an attribute, or to turn text around. */
export const hostileName = fc.oneof(
  fc.string({ maxLength: 30 }),
  fc.constantFrom(
    '"><script>alert(1)</script>',
    "</svg></div><h1>x",
    "&lt;b&gt; & ' \"",
    "a\u202Eb\u0000c\uD800",
    "javascript:alert(1)",
  ),
);

const paints: readonly Paint[] = ["c1", "c2", "c3", "c5", "c4", "c6"];
const amount = fc.oneof(
  { weight: 6, arbitrary: fc.integer({ min: 0, max: 500 }) },
  { weight: 1, arbitrary: fc.integer({ min: 0, max: 2 ** 53 - 1 }) },
  { weight: 1, arbitrary: fc.double({ min: 0, max: 1e6, noNaN: true }) },
);

/** Charts of one to forty slots and one to six series, with amounts from none to the greatest there are. */
export const anyChart: fc.Arbitrary<AxisChart> = fc
  .record({ slots: fc.integer({ min: 1, max: 40 }), series: fc.integer({ min: 1, max: 6 }) })
  .chain((size) =>
    fc.record({
      label: hostileName,
      slots: fc.array(anySlot, { minLength: size.slots, maxLength: size.slots }),
      series: fc
        .array(
          fc.record({
            name: hostileName,
            values: fc.array(amount, { minLength: size.slots, maxLength: size.slots }),
          }),
          { minLength: size.series, maxLength: size.series },
        )
        .map((all) => all.map((each, i): Series => ({ ...each, paint: paints[i]! }))),
      usual: fc.array(fc.option(amount), { minLength: size.slots, maxLength: size.slots }),
      unit: fc.constantFrom("count" as const, "bytes" as const, "seconds" as const),
    }),
  );

const anySlot: fc.Arbitrary<Slot> = fc.record({
  name: hostileName,
  isPart: fc.boolean(),
  isWeekend: fc.boolean(),
  href: hostileName.map(
    (text) => `/events?${new URLSearchParams({ q: text.toWellFormed() }).toString()}`,
  ),
});
