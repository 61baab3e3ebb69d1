import { expect, test } from "vitest";
import { normaliseSql, toFingerprints } from "../../schemas/generators/fingerprints.ts";

const sql = `-- Why.
select '-- not a comment', "a -- b", $x$ -- text $x$ -- end
from t /* 'one */ where a = 'it''s'
`;

test("a fingerprint ignores comments and layout", () => {
  const other = `select   '-- not a comment', "a -- b", $x$ -- text $x$\n\n-- What's new.
from t /* two */ where a = 'it''s' -- last\n`;
  expect(normaliseSql(other).trim()).toBe(normaliseSql(sql).trim());
  expect(toFingerprints({ views: [`-- A\n${sql}`] })).toBe(toFingerprints({ views: [sql] }));
});

test.each([
  ["-- not a comment", "-- not a remark"],
  ["a -- b", "a -- c"],
  ["-- text", "-- texts"],
  ["it''s", "it''s  "],
  ["from t", "from u"],
])("a fingerprint changes where %s becomes %s", (before, after) => {
  const changed = sql.replace(before, after);
  expect(toFingerprints({ views: [changed] })).not.toBe(toFingerprints({ views: [sql] }));
});
