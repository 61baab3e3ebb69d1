import { isDenial } from "./classify.ts";
import { accountOf, accountOrAddressOf, addressOf, numberIn, personOf, windowsOf } from "./hits.ts";
import { listFacts, type Fact } from "./record.ts";
import { distinct, hourMs, minuteMs, sort, stamp, within, type Oracle, type Row } from "./rows.ts";

/** Actors, or addresses of unknown ones, who were denied many times. */
export const repeatedDenials: Oracle = (records, users, params) => {
  const denials = listFacts(records, users).filter(isDenial);
  const keyOf = (f: Fact): string => JSON.stringify([f.userId, accountOrAddressOf(f)]);
  const windowMs = numberIn(params, "minutes", 60) * minuteMs;
  const rows = windowsOf(denials, keyOf, windowMs, params)
    .filter(({ own }) => own.length >= numberIn(params, "denials", 25))
    .map(({ last, own, firstAt }) => ({
      last_at: stamp(last.time),
      actor:
        last.actor === "unknown" && addressOf(last) !== null ? `address ${last.ip}` : last.actor,
      denials: own.length,
      first_at: stamp(firstAt),
      denial_kind: last.denialKind,
      ip_address: last.ip,
      user_id: last.userId,
      account: accountOrAddressOf(last),
    }));
  return sort(rows, "last_at actor denials first_at denial_kind ip_address user_id account");
};

/** People who were denied several hidden columns. */
export const hiddenColumnsProbed: Oracle = (records, users, params) => {
  const denials = listFacts(records, users).filter(
    (f) =>
      isDenial(f) && f.denialKind === "column_visibility_denial" && Boolean(f.text("resource_id")),
  );
  const columnOf = (f: Fact): string =>
    JSON.stringify([f.text("resource_type") ?? "", f.text("resource_id")]);
  const windowMs = numberIn(params, "hours", 24) * hourMs;
  const rows = windowsOf(denials, personOf, windowMs, params).flatMap(
    ({ last, own, firstAt }): Row[] => {
      const columns = distinct(own.map(columnOf));
      if (columns < numberIn(params, "columns", 3)) return [];
      return [
        {
          last_at: stamp(last.time),
          actor: last.actor,
          columns,
          first_at: stamp(firstAt),
          last_column: last.text("resource_id"),
          resource_type: last.text("resource_type"),
          ip_address: last.ip,
          user_id: last.userId,
          account: accountOf(last),
        },
      ];
    },
  );
  return sort(
    rows,
    "last_at actor columns first_at last_column resource_type ip_address user_id account",
  );
};

const signIns = ["sign_in", "sign_in_reporting", "paas_sign_in", "password_revalidate"];

/** Successes on objects on which the person was denied before. */
export const deniedThenAllowed: Oracle = (records, users, params) => {
  const attempts = listFacts(records, users).filter(
    (f) =>
      personOf(f) !== null &&
      f.denialKind !== "failed_sign_in" &&
      !signIns.includes(f.canonical ?? "") &&
      objectOf(f) !== null,
  );
  const denied = attempts.filter((f) => f.outcome === "denied");
  const windowMs = numberIn(params, "hours", 24) * hourMs;
  const rows = attempts
    .filter((f) => f.outcome === "succeeded" && within(params, f.time))
    .flatMap((f): Row[] => {
      const own = denied.filter(
        (d) =>
          d.time < f.time &&
          f.time - d.time <= windowMs &&
          personOf(d) === personOf(f) &&
          objectOf(d) === objectOf(f) &&
          mayBeEqual(areaOf(d), areaOf(f)) &&
          mayBeEqual(d.text("resource_type"), f.text("resource_type")),
      );
      if (own.length === 0 || own.length < numberIn(params, "denials", 1)) return [];
      return [
        {
          event_time: stamp(f.time),
          actor: f.actor,
          object_id: objectOf(f),
          event_name: f.canonical,
          denials: own.length,
          denied_at: stamp(Math.max(...own.map(({ time }) => time))),
          ip_address: f.ip,
          user_id: f.userId,
          account: accountOf(f),
        },
      ];
    });
  return sort(
    rows,
    "event_time actor object_id event_name denials denied_at ip_address user_id account",
  );
};

const mayBeEqual = (a: string | null, b: string | null): boolean => !a || !b || a === b;

function areaOf({ canonical, area }: Fact): string | null {
  const isOfAnyArea = canonical === "unauthorized" || area?.startsWith("Permission denial records");
  return isOfAnyArea ? null : area;
}

function objectOf(f: Fact): string | null {
  const parts = (f.path ?? "").split(/[?#]/)[0]!.replaceAll(".json", "").split("/");
  return (
    f.text("resource_id") ||
    (parts
      .slice(-4)
      .reverse()
      .find((part) => /^[0-9]+$/.test(part)) ??
      null)
  );
}
