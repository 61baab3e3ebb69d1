import { expect, it } from "vitest";
import { refuseAllGone } from "../../../../pipeline/answers/access/take.ts";
import type { PoliciesRead } from "../../../../pipeline/core/load/policy-snapshot.ts";

const some = '{"Databases":[{"operation":"manage"}]}';
const empty = '{"Databases":[]}';

it.each<
  [bodies: (string | null)[], failures: number, known: boolean[], refused: RegExp | undefined]
>([
  [[null], 0, [true], undefined],
  [[null, null], 0, [false, false], /^the service knows none of the 2 policies \(404 each\)/],
  [[null, null], 1, [false, false], undefined],
  [[null, some], 0, [true, true], undefined],
  [[empty, null], 0, [true, true], /^2 policies would lose all permissions/],
  [[empty, empty], 0, [true, false], undefined],
  [[empty, empty], 0, [true, true], /^2 policies would lose all/],
  [[empty, some], 0, [true, true], undefined],
])(
  "policies that read %j, with %i failures and %j rights before, are reported: %s",
  (bodies, failures, had, refused) => {
    const policies = bodies.map((body, i) => ({ policy_id: String(i), body }));
    const known = new Map(had.map((hasRights, i) => [String(i), { hasRights }]));
    const read = { policies, failures: Array.from({ length: failures }, () => ({})) };
    const check = (): void => refuseAllGone(read as unknown as PoliciesRead, known as never);
    if (refused === undefined) check();
    else expect(check).toThrow(refused);
  },
);
