import { expect, test } from "vitest";
import { UsageError } from "../../../../pipeline/base/errors.ts";
import { parseHeader } from "../../../../pipeline/base/report/header.ts";

const complete = `-- title: Who was denied, and how often?
-- family: denials
-- grain: one row per actor
-- Prose is welcome: it explains.
-- param: since timestamp = 7d
-- param: until timestamp = now
-- param: actor text = null
-- param: least integer = -3
-- param: share number = 0.5
-- param: own boolean = false
-- param: day date = 2026-01-31
-- param: mark text =
-- param: needed text
-- param: named text required
-- chart: bars x=actor_email y=denials stack=kind usual=weekday unit=count link=report:a_b
select actor_email, kind, denials from t
`;

test("a complete header is read", () => {
  expect(parseHeader(complete, "a.sql")).toEqual({
    title: "Who was denied, and how often?",
    family: "denials",
    grain: "one row per actor",
    params: [
      { name: "since", type: "timestamp", defaultText: "7d" },
      { name: "until", type: "timestamp", defaultText: "now" },
      { name: "actor", type: "text", defaultText: null },
      { name: "least", type: "integer", defaultText: "-3" },
      { name: "share", type: "number", defaultText: "0.5" },
      { name: "own", type: "boolean", defaultText: "false" },
      { name: "day", type: "date", defaultText: "2026-01-31" },
      { name: "mark", type: "text", defaultText: "" },
      { name: "needed", type: "text", defaultText: undefined },
      { name: "named", type: "text", defaultText: undefined },
    ],
    chart: {
      kind: "bars",
      x: "actor_email",
      y: "denials",
      stack: "kind",
      usual: "weekday",
      unit: "count",
      link: "report:a_b",
    },
    lines: 15,
  });
});

test("line ends and a byte order mark of other systems do not matter", () => {
  const text = `\uFEFF${complete.replaceAll("\n", "\r\n")}`;
  expect(parseHeader(text, "a.sql")).toEqual(parseHeader(complete, "a.sql"));
});

test("the header ends where the comment lines end", () => {
  const header = parseHeader("-- title: A\n-- grain: b\nselect 1\n-- family: c\n", "a.sql");
  expect(header.family).toBeUndefined();
});

const start = "-- title: A\n-- grain: b\n";

test.each([
  ["select 1", 'q.sql:1: the header has no "-- title: …"'],
  ["", 'q.sql:1: the header has no "-- title: …"'],
  ["-- title: A\nselect 1", 'q.sql:1: the header has no "-- grain: …"'],
  ["-- title:\n-- grain: b\n", 'q.sql:1: the header has no "-- title: …"'],
  [
    `${start}-- titel: B`,
    'q.sql:3: unknown key "titel"; expected title, question, family, grain, param, chart, scope',
  ],
  [`${start}-- title: B`, 'q.sql:3: "title" is given twice'],
  [`${start}-- family: Two words`, 'q.sql:3: family "Two words" is not a valid name'],
  [`${start}-- param: since`, 'q.sql:3: expected "-- param: name type = default"'],
  [`${start}-- param: Since timestamp`, 'q.sql:3: expected "-- param: name type = default"'],
  [`${start}-- param: since time = 7d`, 'q.sql:3: parameter since: unknown type "time"'],
  [
    `${start}-- param: n integer = many`,
    'q.sql:3: parameter n: default "many" is not a whole number',
  ],
  [
    `${start}-- param: n integer = 1.5`,
    'q.sql:3: parameter n: default "1.5" is not a whole number',
  ],
  [`${start}-- param: n number =`, 'q.sql:3: parameter n: default "" is not a number'],
  [`${start}-- param: b boolean = yes`, 'q.sql:3: parameter b: default "yes" is not true or false'],
  [`${start}-- param: t timestamp = soon`, 'q.sql:3: parameter t: default "soon" is not a time'],
  [`${start}-- param: a text\n-- param: a text`, "q.sql:4: parameter a is declared twice"],
  [
    `${start}-- param: a text required = b`,
    'q.sql:3: expected "-- param: name type = default" or "-- param: name type required"',
  ],
  [
    `${start}-- chart: pie x=a y=b`,
    'q.sql:3: unknown chart "pie"; expected bars, dots, line, heat',
  ],
  [`${start}-- scope: all`, 'q.sql:3: scope "all" is invalid; expected range'],
  [`${start}-- scope: range`, "q.sql:3: the scope range needs the parameters since and until"],
  [`${start}-- chart: bar a b`, 'q.sql:3: unknown chart "bar"; expected bars'],
  [`${start}-- chart: bars a b`, 'q.sql:3: the chart has "a"; expected x=, y=, stack='],
  [`${start}-- chart: bars x=a`, "q.sql:3: the chart needs x=COLUMN and y=COLUMN"],
  [`${start}-- chart: bars x=a y=b __proto__=c`, 'q.sql:3: the chart has "__proto__=c"'],
  [`${start}-- chart: bars x=a y=b x=c`, "q.sql:3: the chart has x= twice"],
  [`${start}-- chart: bars x=a y=b unit=miles`, "unit=miles; expected count, bytes or seconds"],
  [`${start}-- chart: bars x=a y=b usual=month`, "usual=month; expected weekday"],
  [`${start}-- chart: bars x=a y=b scale=log`, "scale=log works only with dots and line"],
  [`${start}-- chart: heat x=a y=b`, "a heat map needs stack=COLUMN"],
  [`${start}-- chart: dots x=a y=b link=page:c`, "link=page:c; expected events or report:NAME"],
  [
    `${start}-- chart: bars x=a y=c\nselect a, count(*) as b from t -- c`,
    "q.sql:3: the chart needs a column c, which the statement does not return",
  ],
])("%j is refused", (text, message) => {
  expect(() => parseHeader(text, "q.sql")).toThrow(UsageError);
  expect(() => parseHeader(text, "q.sql")).toThrow(message);
});
