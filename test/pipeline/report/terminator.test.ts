import { expect, test } from "vitest";
import { withoutTerminator } from "../../../pipeline/report/terminator.ts";

test.each([
  ["select 1;", "select 1"],
  ["select 1 ; -- a; b\n", "select 1  -- a; b\n"],
  ["select ';--' as \"a;\";", "select ';--' as \"a;\""],
  ["select 'it''s;' /* ; */", "select 'it''s;' /* ; */"],
  ["select $$;$$, $x$;$x$;", "select $$;$$, $x$;$x$"],
])("the terminator of %j goes", (sql, expected) => {
  expect(withoutTerminator(sql)).toBe(expected);
});
