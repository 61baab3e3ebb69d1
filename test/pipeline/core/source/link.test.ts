import fc from "fast-check";
import { expect, it } from "vitest";
import { linkTo } from "../../../../pipeline/core/source/link.ts";

it.each([
  ["<https://a/x?p=2>; rel=next", "https://a/x?p=2"],
  ['<x>; rel="next"', "x"],
  ['<x>;rel="prev next"', "x"],
  ['<x> ; REL = "NEXT"', "x"],
  ['<x?a=1,2;3>; title="rel=next, \\"<y>"; rel="next"', "x?a=1,2;3"],
  ['<a>; rel="prev", <b>; rel="next", <c>; rel="last"', "b"],
  ['<a>; rel="next"; anchor="#other", <b>; rel="next"', "b"],
  ['<a>; rel="prev"; rel="next"', undefined],
  ['<a>; rel="nextpage"', undefined],
  ['<a>; rel="not-next"', undefined],
  ['<a>; xrel="next"', undefined],
  ['<a>; title="rel=next"', undefined],
  ["<a>", undefined],
  ['rel="next"', undefined],
  ["", undefined],
  [undefined, undefined],
])("the next link of %j is %j", (header, address) => {
  expect(linkTo("next", header)).toBe(address);
});

it("the next link is found in any of several headers", () => {
  expect(linkTo("next", ["<a>; rel=prev", "<b>; rel=next"])).toBe("b");
});

// Headers by the grammar, of which the test knows what they say because it wrote them.
const blank = fc.constantFrom("", "", " ", "\t ");
const rel = fc.constantFrom("next", "NEXT", "prev next", "prev", "nextpage", "", "a  next\tb");
const text = fc.string({ unit: fc.constantFrom(...'ab,;=<>"\\ \té'), maxLength: 8 });
const parameter = fc.oneof(
  fc.tuple(fc.constantFrom("rel", "REL", "Rel"), rel),
  fc.tuple(fc.constantFrom("title", "x", "rel*", "title*", "type"), text),
  fc.tuple(fc.constantFrom("title", "rev"), fc.constantFrom("next", 'rel="next"', "; rel=next")),
  fc.tuple(fc.constant("anchor"), fc.constantFrom("#a", "")),
);
const link = fc.record({
  address: fc.string({ unit: fc.constantFrom(...'ab/?&=,;" é'), maxLength: 8 }),
  parameters: fc.array(fc.tuple(parameter, fc.nat(7), blank, blank), { maxLength: 4 }),
  blanks: fc.tuple(blank, blank),
  behind: fc.constantFrom(",", ", ", " ,", ",,", ", , "),
});

function write([[name, value], how, before, after]: [[string, string], number, string, string]) {
  // A word may do without quotes, and a parameter without a value.
  if (value === "" && how % 2 === 0) return `;${before}${name}${after}`;
  const isWord = /^[^\s",;<>=\\]+$/.test(value) && how % 2 === 0;
  const quoted = `"${value.replaceAll(/["\\]/g, "\\$&")}"`;
  return `;${before}${name}${after}=${before}${isWord ? value : quoted}${after}`;
}

it("property: a header is parsed as it was written", () => {
  fc.assert(
    fc.property(fc.array(link, { maxLength: 5 }), fc.boolean(), (links, isList) => {
      const header = links.map(({ address, parameters, blanks: [a, b], behind }) => {
        const rest = parameters.map(write).join("");
        return `${a}<${address}>${b}${rest}${isList ? "" : behind}`;
      });
      const found = links.find(({ parameters }) => {
        const named = parameters.map(([[name, value]]) => [name.toLowerCase(), value] as const);
        const relations = named.find(([name]) => name === "rel")?.[1] ?? "";
        const isNext = relations.split(/[ \t]+/).some((one) => one.toLowerCase() === "next");
        return isNext && !named.some(([name]) => name === "anchor");
      });
      expect(linkTo("next", isList ? header : header.join(""))).toBe(found?.address);
    }),
    { numRuns: 500 },
  );
});

it("property: an invalid link is skipped", () => {
  const noise = fc.string({ unit: fc.constantFrom(...'ab;= \t<>"\\'), maxLength: 20 });
  fc.assert(
    fc.property(
      noise.filter((part) => !/["<]/.test(part)),
      (part) => {
        expect(linkTo("next", `${part}, <x>; rel=next`)).toBe("x");
      },
    ),
  );
});

it("parsing takes time in proportion to the header, with any content", () => {
  const parts = [
    "<",
    ">",
    "<a>;",
    '<a>; x="',
    "; rel",
    "<a>; a b c ",
    '<a>;x="\\',
    "<a>;=",
    "\t",
    ";",
  ];
  parts.push(
    '"',
    '<a>;"',
    ",",
    "<a>,",
    "a ",
    "<a>; rel=prev ,",
    "<a>; x = y ; ",
    "= ",
    '\\"',
    "; a=",
  );
  const all = parts.flatMap((one) => [one, ...parts.map((other) => one + other)]);
  const spent = [1000, 40_000].map((length) => {
    const headers = all.map((part) => part.repeat(length / part.length));
    const start = process.cpuUsage();
    for (const header of headers) linkTo("next", header);
    return process.cpuUsage(start).user;
  });
  // Forty times the length: a square would cost sixteen hundred times as much.
  expect(spent[1]! / Math.max(spent[0]!, 5000)).toBeLessThan(200);
});
