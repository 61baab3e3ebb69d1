import { expect, it } from "vitest";
import { type KnownName, formatNamed } from "../../../../pipeline/answers/access/find-ids.ts";

const onMs = Date.UTC(2026, 0, 1);
const name = (text: string | null, change: Partial<KnownName> = {}): KnownName => ({
  id: "7",
  name: text,
  isLast: true,
  isThen: true,
  state: "there",
  ...change,
});
const former = { isLast: false };
const later = { isThen: false };

it.each<[text: string, own: KnownName[], onMs: number | undefined, line: string | undefined]>([
  ["7", [name("Staff")], undefined, undefined],
  ["7", [name(null, { state: "gone" })], onMs, "policy 7, deleted by 2026-01-01T00:00:00.000Z"],
  [
    "7",
    [name(null, { state: "not made" })],
    onMs,
    "policy 7, not created yet at 2026-01-01T00:00:00.000Z",
  ],
  ["7", [name(null, { state: "gone" })], undefined, "policy 7, deleted by now"],
  ["7", [name(null, { state: "gone" }), name(null)], onMs, undefined],
  ["staff", [name("Staff")], undefined, "staff is policy 7"],
  [
    "old",
    [name("Old", former), name("Staff", later)],
    onMs,
    "old is policy 7, named Old at 2026-01-01T00:00:00.000Z and Staff now",
  ],
  [
    "7",
    [name("Old", former), name("Staff", later)],
    onMs,
    "policy 7, named Old at 2026-01-01T00:00:00.000Z and Staff now",
  ],
  [
    "old",
    [name("Old", { ...former, ...later }), name("Staff")],
    undefined,
    "old is policy 7, named Staff now",
  ],
  ["old", [name("Old", { ...former, ...later })], undefined, "old is policy 7"],
  [
    "a\u202E",
    [name("Staff\u202E")],
    undefined,
    String.raw`a\u202e is policy 7, named Staff\u202e now`,
  ],
])(
  "an ambiguous name %j is printed with the chosen one, and its name then",
  (text, own, at, line) => {
    expect(formatNamed("policy", text, own, at)).toBe(line);
  },
);
