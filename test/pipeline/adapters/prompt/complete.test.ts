import { expect, test } from "vitest";
import { completeLine } from "../../../../pipeline/adapters/prompt/complete.ts";

const known = {
  functions: ["date_trunc", "date_diff", "count"],
  reports: ["denials_by_actor", "denials_by_day", "long_jobs"],
  commands: [".help", ".tables", ".schema", ".mode", ".open"],
  formats: ["table", "csv", "json"],
};
const complete = (line: string, before = ""): string[] => completeLine(line, before, known)[0];

test("tables after from and join", () => {
  expect(complete("select * from den")).toEqual(["denials"]);
  expect(complete("join query_j", "select 1 from events as e")).toEqual(["query_jobs"]);
});

test("columns of the tables that the statement names, above and below, by table or alias", () => {
  expect(complete("select denial_k")).toEqual([]);
  expect(complete("where denial_k", "select count(*)\nfrom denials")).toEqual(["denial_kind"]);
  expect(complete("select d.denial_k", "")).toEqual([]);
  expect(complete("where d.denial_k", "from events as e join denials as d on true")).toEqual([
    "denial_kind",
  ]);
  expect(complete("where d.denial_k", "from denials d")).toEqual(["denial_kind"]);
  expect(complete("where denials.denial_k", "from denials")).toEqual(["denial_kind"]);
});

test("functions and words", () => {
  expect(complete("select date_")).toEqual(["date_trunc", "date_diff"]);
  expect(complete("select 1 gro")).toEqual(["group by"]);
  expect(complete("SELECT * FROM denials GRO")).toEqual(["group by"]);
});

test("commands and what they take, at the beginning of a statement alone", () => {
  expect(complete(".sch")).toEqual([".schema"]);
  expect(complete(".open denials")).toEqual(["denials_by_actor", "denials_by_day"]);
  expect(complete(".mode j")).toEqual(["json"]);
  expect(complete(".schema query_j")).toEqual(["query_jobs"]);
  expect(complete(".open x", "select 1")).toEqual([]);
});

test("completion replaces the typed text with the candidate", () => {
  expect(completeLine("select * from den", "", known)[1]).toBe("den");
  expect(completeLine(".open den", "", known)[1]).toBe("den");
});
