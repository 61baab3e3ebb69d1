import { expect, it } from "vitest";
import { linkTo } from "../../../pipeline/source/link.ts";

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
])("of %j it is %j", (header, address) => {
  expect(linkTo("next", header)).toBe(address);
});

it("is found in any of several headers", () => {
  expect(linkTo("next", ["<a>; rel=prev", "<b>; rel=next"])).toBe("b");
});

it("is looked for in time, whatever the header holds", () => {
  const start = performance.now();
  for (const part of ["<", "<a>;", '<a>; x="', "; rel", "<a>; a b c ", '<a>;x="\\'])
    linkTo("next", part.repeat(10_000));
  expect(performance.now() - start).toBeLessThan(1000);
});
