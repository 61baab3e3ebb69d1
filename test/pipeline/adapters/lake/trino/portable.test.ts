import { describe, expect, it } from "vitest";
import { findUnportable } from "../../../../../pipeline/adapters/lake/trino/portable.ts";
import { habits } from "../statements/habits.ts";

// What engines do with each of them is asked of one in test/engine.

// The worst comes first.
const getEffect = (sql: string): string | undefined => findUnportable(sql)[0]?.effect;

describe("a feature that an engine handles differently", () => {
  it.each(habits)("is found in %s", (sql, effect) => {
    expect(getEffect(sql)).toBe(effect);
    expect(getEffect(`-- a report\n${sql.toUpperCase()}`)).toBe(effect);
  });

  it.each([
    "select 'qualify, a::b, [1] / 2.0' as \"group by all\", 1 as y -- least(1)",
    "select count(*) * 1.5 as x from events where size > 0.5 and amount / 1e3 > 2",
    "select x from events where x in (select y from users) and y in ('a (b', 'c')",
    "with t (a, b) as (select 1, 2) select a, b from t order by a",
    "select split_part(lower(a), '.', 1) as x, date_diff('second', a, b) as y from events",
    "select t.a from (values (1, 2)) as t (a, b) order by a",
  ])("is not found in %s", (sql) => expect(findUnportable(sql)).toEqual([]));
});
