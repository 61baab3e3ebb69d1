import { expect, it } from "vitest";
import { exportName, computeShortHash } from "../../../../pipeline/outgoing/exports/with-rows.ts";
import type { ParamValue } from "../../../../pipeline/base/sql/question.ts";

const moment = (text: string): ParamValue => ({ type: "timestamp", value: Date.parse(text) });
const text = (value: string | null): ParamValue => ({ type: "text", value });
const name = (values: Readonly<Record<string, ParamValue>>): string =>
  exportName("denials", { sql: "select 1", values });

it("an export is named by its range, and by its other values in any order", () => {
  const [since, until] = [moment("2026-01-02T00:00:00Z"), moment("2026-01-03T04:05:06.5Z")];
  expect(name({})).toBe("denials");
  expect(name({ until, since })).toBe("denials-20260102T000000Z-20260103T040506.5Z");
  expect(name({ since })).toBe("denials-20260102T000000Z");
  expect(name({ since, until: text(null) })).toBe("denials-20260102T000000Z");
  const both = name({ a: text("1"), since, b: text("2") });
  expect(both).toMatch(/^denials-20260102T000000Z-[0-9a-f]{8}$/);
  expect(name({ b: text("2"), a: text("1"), since })).toBe(both);
  expect(name({ b: text("1"), a: text("2"), since })).not.toBe(both);
  expect(name({ a: text("../x") })).toMatch(/^denials-[0-9a-f]{8}$/);
});

it("an export has its previous names: one of today replaces that of an earlier version", () => {
  expect(computeShortHash([["user", "ann"]])).toBe("e439c553");
});
