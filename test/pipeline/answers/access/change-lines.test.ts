import { expect, it } from "vitest";
import {
  changeLines,
  changeText,
  formatGrants,
} from "../../../../pipeline/answers/access/change-lines.ts";
import type { Grant } from "../../../../pipeline/core/records/permissions.ts";

const grant = (kind: string, operation: string | null, objectId: string | null = null): Grant => ({
  kind,
  operation,
  objectId,
  objectName: null,
  details: null,
});

it("lists revoked before granted permissions, an operation a line, its ids together", () => {
  const removed = [grant("Databases", "query", "1"), grant("Databases", "query", "\u202E2")];
  const added = [
    grant("Databases", "manage"),
    { ...grant("Journeys", "edit"), objectName: "growth", details: '{"a":1}' },
    { ...grant("Journeys", null), details: '{"b":2}' },
  ];
  expect(changeLines({ removed, added, kept: [] })).toBe(
    [
      String.raw`- Databases  query   1,\u202e2`,
      "+ Databases  manage",
      '+ Journeys   edit    "growth" {"a":1}',
      '+ Journeys           {"b":2}',
      "",
    ].join("\n"),
  );
  expect(changeLines({ removed: [], added: [], kept: added })).toBe("");
});

it("lists current permissions without a sign, and counts a change", () => {
  const own = [grant("Databases", "query", "1"), grant("Databases", "edit", "1")];
  expect(formatGrants(own)).toBe("  Databases  query  1\n  Databases  edit   1\n");
  expect(changeText({ added: own.slice(1), removed: [], kept: own })).toBe(
    "1 permission added, 0 removed, 2 unchanged",
  );
  expect(changeText({ added: own, removed: own, kept: [] })).toMatch(/^2 permissions added, 2 /);
});
