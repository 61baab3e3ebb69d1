/** Statements specific to the database, and their outcome on an engine. */
export const habits: readonly (readonly [
  sql: string,
  effect: "refused" | "other rows" | "maybe other rows",
])[] = [
  ["select a, count(*) as n from (select 1 as a) as t group by all", "refused"],
  ["select a from (select 1 as a) as t order by all", "refused"],
  ["select * exclude (a) from (select 1 as a, 2 as b) as t", "refused"],
  ["select a from (select 1 as a) as t qualify row_number() over (order by a) = 1", "refused"],
  ["from (select 1 as a) as t", "refused"],
  ["select cast(1 as json)->'a' as x", "refused"],
  ["select list_sort([2, 1]) as x", "refused"],
  ["select {'a': 1} as x", "refused"],
  ["select '1'::bigint as x", "refused"],
  ["select 10 / 3.0 as x", "other rows"],
  ["select round(100.0 * sum(a) / count(*), 1) as x from (select 2 as a) as t", "other rows"],
  ["select 1 as x where lower('A') in ('b', lower('A'))", "maybe other rows"],
  ["select 7 / 2 as x", "maybe other rows"],
  ["select greatest(1, null) as x", "maybe other rows"],
  ["select split_part('a.b', '.', 3) as x", "maybe other rows"],
  [
    "select date_diff('hour', timestamp '2026-01-01 00:59:59', timestamp '2026-01-01 01:00:01') as x",
    "maybe other rows",
  ],
  ["select regexp_replace('aaa', 'a', 'b') as x", "maybe other rows"],
];
