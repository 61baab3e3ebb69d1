import { expect, it } from "vitest";
import { describeListed } from "../../../../../pipeline/adapters/serve/subject/person-tiles.ts";

it.each([
  ["2020-07-11 17:39:30 -0500", " since 11 Jul 2020"],
  ["2020-07-11 17:39:30 UTC", " since 11 Jul 2020"],
  ["2020-07-11T17:39:30.125Z", " since 11 Jul 2020"],
  ["2020-07-11", " since 11 Jul 2020"],
  ["2020-19-11 17:39:30", ""],
  ["11 July", ""],
  ["", ""],
  [null, ""],
])("a user created at %j is listed%s", (createdAt, since) => {
  expect(describeListed([{ createdAt }])).toBe(`in the directory${since}`);
});
