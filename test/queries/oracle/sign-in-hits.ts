import { accountOf, addressOf, numberIn, personOf, windowsOf } from "./hits.ts";
import { listFacts, type Fact } from "./record.ts";
import { distinct, hourMs, minuteMs, sort, stamp, type Oracle, type Row } from "./rows.ts";

const blockedKinds = ["sign_in_failed_by_ipwhitelist", "sign_in_failed_by_private_connect"];
const isBlocked = (f: Fact): boolean => blockedKinds.includes(f.canonical ?? "");
const isFailure = (f: Fact): boolean =>
  f.denialKind === "failed_sign_in" && (f.outcome === "failed" || f.outcome === "denied");

/** Accounts with many failed sign-ins within some hours. */
export const slowPasswordGuessing: Oracle = (records, users, params) => {
  const failures = listFacts(records, users).filter((f) => isFailure(f) && !isBlocked(f));
  const windows = windowsOf(failures, personOf, numberIn(params, "hours", 24) * hourMs, params);
  const rows = windows
    .filter(({ own }) => own.length >= numberIn(params, "failures", 20))
    .map(({ last, own, firstAt }) => ({
      last_at: stamp(last.time),
      actor: last.actor,
      failures: own.length,
      first_at: stamp(firstAt),
      event_name: last.canonical,
      ip_address: last.ip,
      user_id: last.userId,
      account: accountOf(last),
    }));
  return sort(rows, "last_at actor failures first_at event_name ip_address user_id account");
};

/** Addresses from which the sign-ins of many accounts failed. */
export const passwordSpraying: Oracle = (records, users, params) => {
  const failures = listFacts(records, users).filter((f) => isFailure(f) && personOf(f) !== null);
  const windowMs = numberIn(params, "minutes", 60) * minuteMs;
  const rows = windowsOf(failures, addressOf, windowMs, params).flatMap(
    ({ last, own, firstAt }): Row[] => {
      const accounts = distinct(own.map(personOf));
      if (accounts < numberIn(params, "accounts", 10)) return [];
      const [at, first] = [stamp(last.time), stamp(firstAt)];
      return [
        { last_at: at, ip_address: last.ip, accounts, first_at: first, last_account: last.actor },
      ];
    },
  );
  return sort(rows, "last_at ip_address accounts first_at last_account");
};

/** Accounts and addresses whose sign-ins were blocked several times. */
export const blockedSignIns: Oracle = (records, users, params) => {
  const blocked = listFacts(records, users).filter((f) => isFailure(f) && isBlocked(f));
  const windowMs = numberIn(params, "minutes", 60) * minuteMs;
  const rowsOf = (keyOf: (f: Fact) => string | null, subject: (f: Fact) => Row): Row[] =>
    windowsOf(blocked, keyOf, windowMs, params)
      .filter(({ own }) => own.length >= numberIn(params, "blocked", 5))
      .map(({ last, own, firstAt }) => ({
        last_at: stamp(last.time),
        blocked: own.length,
        first_at: stamp(firstAt),
        event_name: last.canonical,
        ip_address: last.ip,
        ...subject(last),
      }));
  const ofAccounts = rowsOf(personOf, (f) => ({
    actor: f.actor,
    user_id: f.userId,
    account: accountOf(f),
    address: null,
  }));
  const ofAddresses = rowsOf(addressOf, ({ ip }) => ({
    actor: `address ${ip}`,
    user_id: null,
    account: null,
    address: ip,
  }));
  return sort(
    [...ofAccounts, ...ofAddresses],
    "last_at actor blocked first_at event_name ip_address user_id account address",
  );
};

/** Accounts that signed in from several networks. */
export const manyNetworks: Oracle = (records, users, params) => {
  const signIns = listFacts(records, users).filter(
    (f) =>
      ["sign_in", "sign_in_reporting", "paas_sign_in"].includes(f.canonical ?? "") &&
      f.outcome === "succeeded" &&
      /[.:]/.test(f.ip ?? ""),
  );
  const windowMs = numberIn(params, "minutes", 60) * minuteMs;
  const rows = windowsOf(signIns, personOf, windowMs, params).flatMap(
    ({ last, own, firstAt }): Row[] => {
      const networks = distinct(own.map(({ ip }) => networkOf(ip!)));
      if (networks < numberIn(params, "least", 4)) return [];
      return [
        {
          last_at: stamp(last.time),
          actor: last.actor,
          networks,
          first_at: stamp(firstAt),
          ip_address: last.ip,
          event_name: last.canonical,
          user_id: last.userId,
          account: accountOf(last),
        },
      ];
    },
  );
  return sort(rows, "last_at actor networks first_at ip_address event_name user_id account");
};

function networkOf(address: string): string {
  const [, v4] = /^(?:::ffff:)?(\d+\.\d+)\.\d+\.\d+$/i.exec(address) ?? [];
  if (v4 !== undefined) return v4;
  const [head = "", tail] = address.split("::");
  const [first, last] = [head, tail ?? ""].map((part) => (part === "" ? [] : part.split(":")));
  const zeros = Array.from({ length: 8 - first!.length - last!.length }, () => "0");
  const groups = tail === undefined ? first! : [...first!, ...zeros, ...last!];
  return groups
    .slice(0, 2)
    .map((group) => Number.parseInt(group, 16))
    .join(":");
}
