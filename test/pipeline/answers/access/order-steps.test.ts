import { join } from "node:path";
import { tmpdir } from "node:os";
import { describe, expect, it } from "vitest";
import { resolveHome } from "../../../../pipeline/base/home/layout.ts";
import type { NamedSource, Settings } from "../../../../pipeline/base/home/settings.ts";
import { orderSteps, type OrderedSteps } from "../../../../pipeline/answers/access/order-steps.ts";
import type { Target } from "../../../../pipeline/answers/access/target.ts";
import { compareSets } from "../../../../pipeline/core/records/permissions.ts";
import type { PermissionSet } from "../../../../schemas/policies.ts";
import { newRandom } from "../../../../fixtures/random.ts";
import { documentedSet } from "../../../../schemas/policies.ts";

// If the members are unknown, grants come before revocations, and one of two that wait is set twice.

const settings = { home: resolveHome(join(tmpdir(), "no-such-home")), config: {} } as Settings;
const query = (ids: string): PermissionSet => ({ Databases: [{ operation: "query", ids }] });

type Sets = readonly [before: PermissionSet, wanted: PermissionSet];

function orderedSets(...all: readonly Sets[]): Promise<OrderedSteps> {
  const steps = all.map(([before, wanted], i) => ({
    target: { id: String(i) } as Target,
    before,
    wanted,
    comparison: compareSets(before, wanted),
  }));
  return orderSteps(steps, settings, { name: "default" } as NamedSource, 0);
}

describe("a set that is sent first with its granted rights", () => {
  it("includes the current rights", async () => {
    const { sendings } = await orderedSets([query("1"), query("2")], [query("2"), query("1")]);
    expect(sendings.map(({ target, plan }) => [target.id, plan(query("1"))])).toEqual([
      ["0", query("1,2")],
      ["1", query("1")],
      ["0", query("2")],
    ]);
  });

  it.each([
    [{ operation: "query", ids: "1", legacy: true }, /further fields legacy/],
    [{ operation: "audit" }, /unknown operation audit/],
    [{ operation: "edit" }, /edit without ids/],
    [{ operation: "manage", ids: "1" }, /ids on manage/],
  ])("is refused before sending if the policy contains %j", async (entry, message) => {
    const held = { Databases: [{ operation: "import", ids: "1" }, entry] };
    const all = [
      [
        held,
        {
          Databases: [
            { operation: "import", ids: "2" },
            { operation: "edit", ids: "3" },
          ],
        },
      ],
      [
        { Databases: [{ operation: "import", ids: "2" }] },
        { Databases: [{ operation: "import", ids: "1" }] },
      ],
    ] as const;
    const error = await orderedSets(...all).then(
      () => undefined,
      (thrown: unknown) => thrown as Error,
    );
    expect(error?.message).toMatch(
      /^policy 0 needs two steps, .* does not show: .*; nothing was sent for it; set it with/,
    );
    expect(error?.message).toMatch(message);
    expect(error?.message).not.toMatch(/--grant|--file/);
  });

  it("is not requested if a policy is set once", async () => {
    const held = { Databases: [{ operation: "audit" }, { operation: "query", ids: "1" }] };
    expect((await orderedSets([held, query("1")])).sendings).toHaveLength(1);
  });

  it("has the documented form in 500 random folders, seed 9", async () => {
    const random = newRandom(9, "giving");
    const someIds = (): string => ["1", "2", "3"].filter(() => random.chance(0.5)).join(",") || "4";
    const someSet = (): PermissionSet => ({
      Databases: [
        ...["query", "edit", "import"]
          .filter(() => random.chance(0.5))
          .map((operation) => ({
            operation,
            ids: someIds(),
          })),
        ...(random.chance(0.3) ? [{ operation: "manage" }] : []),
        { operation: "download" },
      ],
    });
    let sent = 0;
    for (let i = 0; i < 500; i++) {
      const all = Array.from({ length: 3 }, (): Sets => [someSet(), someSet()]);
      const held = new Map(all.map(([before], n) => [String(n), before]));
      for (const { target, plan } of (await orderedSets(...all)).sendings) {
        const set = plan(held.get(target.id)!);
        expect(documentedSet.safeParse(set).error, `folder ${i}`).toBeUndefined();
        held.set(target.id, set);
        sent += 1;
      }
    }
    expect(sent).toBeGreaterThan(1500);
  });
});
