import { accountOrAddressOf } from "./hits.ts";
import { listFacts, type Fact } from "./record.ts";
import {
  dayMs,
  distinct,
  hourMs,
  largestId,
  minuteMs,
  rowsBy,
  sort,
  span,
  stamp,
  within,
  type Oracle,
  type Row,
} from "./rows.ts";

const signIns = ["sign_in", "sign_in_reporting", "paas_sign_in"];
const isSignIn = (f: Fact): boolean =>
  f.outcome === "succeeded" && signIns.includes(f.canonical ?? "");
const isFailure = (f: Fact): boolean => f.denialKind === "failed_sign_in";

// Unknown users are not the same person twice; words such as `internal` are not an address.
const account = (f: Fact): string | null => (f.actor === "unknown" ? null : f.actor);
const address = (f: Fact): string | null => (f.ip !== null && /[.:]/.test(f.ip) ? f.ip : null);

/** Failures of the same account, or from the same address, in the minutes before a success. */
export const failedSignInsThenSuccess: Oracle = (records, users, params) => {
  const facts = listFacts(records, users);
  const failures = facts.filter((f) => isFailure(f) && f.time < params.until);
  const successes = facts.filter(
    (f) =>
      within(params, f.time) &&
      (isSignIn(f) || (f.outcome === "succeeded" && f.canonical === "password_revalidate")),
  );
  const rows = successes.flatMap((success): Row[] => {
    const before = failures.filter(
      (f) =>
        f.time <= success.time && success.time - f.time <= Number(params["minutes"]) * minuteMs,
    );
    const sameAccount = before.filter(
      (f) => account(f) !== null && account(f) === account(success),
    );
    const sameAddress = before.filter(
      (f) => address(f) !== null && address(f) === address(success),
    );
    const most = Math.max(sameAccount.length, sameAddress.length);
    if (most < Number(params["failures"])) return [];
    const either = [...sameAccount, ...sameAddress];
    return [
      {
        success_at: stamp(success.time),
        actor: success.actor,
        ip_address: success.ip,
        account_failures: sameAccount.length,
        address_failures: sameAddress.length,
        failures: most,
        accounts_tried: distinct(either.map(account)),
        first_failure_at: span(either.map((f) => f.time)).first_at,
        success_event: success.canonical,
        user_id: success.userId,
        account: success.userId === null ? (account(success) ?? address(success)) : null,
      },
    ];
  });
  return sort(
    rows,
    "success_at actor ip_address account_failures address_failures failures accounts_tried first_failure_at success_event user_id account",
  );
};

/** Sign-ins blocked by the address list or by private connect. */
export const signInsBlockedByAddress: Oracle = (records, users, params) => {
  const reasons = new Map([
    ["sign_in_failed_by_ipwhitelist", "address list"],
    ["sign_in_failed_by_private_connect", "private connect"],
  ]);
  const blocked = listFacts(records, users).filter(
    (f) => within(params, f.time) && reasons.has(f.canonical ?? ""),
  );
  const rows = rowsBy(
    blocked,
    (f) => [f.ip, f.actor, f.canonical],
    (group) => ({
      ip_address: group[0].ip ?? "not recorded",
      actor: group[0].actor,
      reason: reasons.get(group[0].canonical ?? "") ?? null,
      attempts: group.length,
      ...span(group.map((f) => f.time)),
      user_id: largestId(group.map((f) => f.userId)),
    }),
  );
  return sort(rows, "-attempts ip_address actor reason");
};

/** Each change of the address list, with the addresses new to its author from which he then signed in. */
export const addressListChanges: Oracle = (records, users, params) => {
  const facts = listFacts(records, users);
  const changes = facts.filter(
    (f) =>
      f.canonical === "ip_whitelist_modify" && f.outcome === "succeeded" && within(params, f.time),
  );
  const rows = changes.flatMap((change): Row[] => {
    const own = facts.filter((f) => account(f) !== null && f.actor === change.actor);
    const known = own.filter(
      (f) => f.time < change.time && change.time - f.time <= Number(params["days"]) * dayMs,
    );
    const then = own.filter(
      (f) =>
        isSignIn(f) &&
        f.ip !== null &&
        f.time >= change.time &&
        f.time - change.time < Number(params["hours"]) * hourMs &&
        !known.some((k) => k.ip === f.ip),
    );
    const base = changeRow(change);
    if (then.length === 0)
      return [{ ...base, new_address: null, first_sign_in_at: null, sign_ins: 0 }];
    return rowsBy(
      then,
      (f) => [f.ip],
      (group) => ({
        ...base,
        new_address: group[0].ip,
        first_sign_in_at: span(group.map((f) => f.time)).first_at,
        sign_ins: group.length,
      }),
    );
  });
  return sort(
    rows,
    "changed_at actor change new_address first_sign_in_at sign_ins changed_from affected_user_id old_value new_value user_id account",
  );
};

function changeRow(change: Fact): Row {
  return {
    changed_at: stamp(change.time),
    actor: change.actor,
    change: change.variant ?? "change",
    changed_from: change.ip,
    affected_user_id: change.text("affected_user_id"),
    old_value: change.text("old_value") ?? change.text("old_values"),
    new_value: change.text("new_value") ?? change.text("new_values"),
    user_id: change.userId,
    account: accountOrAddressOf(change),
  };
}
