import { accountOf, accountOrAddressOf, idIn, numberIn, personOf, windowsOf } from "./hits.ts";
import { listFacts, type Fact, type User } from "./record.ts";
import { distinct, minuteMs, sort, stamp, within, type Oracle, type Row } from "./rows.ts";

const succeeded = (names: string) => {
  const known = new Set(names.split(" "));
  return (f: Fact): boolean => known.has(f.canonical ?? "") && f.outcome === "succeeded";
};

type Owner = { readonly id: string | null; readonly email: string | null };

function ownerOf(f: Fact, users: readonly User[]): Owner {
  const affected = f.text("affected_user");
  const [, inPath] = /\/user\/apikey\/[^/?#]*\/([^/?#]*)/.exec(f.path ?? "") ?? [];
  const decoded = inPath === undefined ? "" : decodeURIComponent(inPath);
  const email =
    affected?.includes("@") === true ? affected : decoded.includes("@") ? decoded : null;
  return {
    id: idIn(users, f.text("affected_user_id"), email),
    email: email?.toLowerCase() ?? null,
  };
}

const nameOf = ({ id, email }: Owner): string | null =>
  email ?? (id === null ? null : `user ${id}`);

/** Keys made or read by another person than their owner. */
export const apiKeyOfAnother: Oracle = (records, users, params) => {
  const keys = listFacts(records, users).filter(
    succeeded("user_apikey_generate user_apikey_download"),
  );
  const rows = keys
    .filter((f) => within(params, f.time))
    .flatMap((f): Row[] => {
      const owner = ownerOf(f, users);
      const id = idIn(users, f.userId, f.email);
      const [mine, theirs] =
        id !== null && owner.id !== null ? [id, owner.id] : [f.email?.toLowerCase(), owner.email];
      if (!mine || !theirs || mine === theirs) return [];
      return [
        {
          event_time: stamp(f.time),
          actor: f.actor,
          owner: nameOf(owner),
          event_name: f.canonical,
          ip_address: f.ip,
          user_id: f.userId,
          account: accountOf(f),
        },
      ];
    });
  return sort(rows, "event_time actor owner event_name ip_address user_id account");
};

/** People who read the keys of several users. */
export const apiKeysHarvested: Oracle = (records, users, params) => {
  const ownerText = (f: Fact): string | null => {
    const { id, email } = ownerOf(f, users);
    return id ?? email;
  };
  const read = listFacts(records, users)
    .filter(succeeded("user_apikey_download"))
    .filter((f) => ownerText(f) !== null);
  const windowMs = numberIn(params, "minutes", 60) * minuteMs;
  const rows = windowsOf(read, personOf, windowMs, params).flatMap(
    ({ last, own, firstAt }): Row[] => {
      const owners = distinct(own.map(ownerText));
      if (owners < numberIn(params, "owners", 5)) return [];
      return [
        {
          last_at: stamp(last.time),
          actor: last.actor,
          owners,
          first_at: stamp(firstAt),
          last_owner: nameOf(ownerOf(last, users)),
          ip_address: last.ip,
          user_id: last.userId,
          account: accountOf(last),
        },
      ];
    },
  );
  return sort(rows, "last_at actor owners first_at last_owner ip_address user_id account");
};

/** Access keys and tokens that services work with. */
export const serviceKeysCreated: Oracle = (records, users, params) => {
  const isCreated = succeeded(
    "provisioner_access_key_create web_access_token_create realtime_personalization_token_create",
  );
  const rows = listFacts(records, users)
    .filter((f) => within(params, f.time) && isCreated(f))
    .map((f) => ({
      event_time: stamp(f.time),
      actor: f.actor,
      event_name: f.canonical,
      resource: f.text("resource_name") ?? f.text("resource_id"),
      ip_address: f.ip,
      user_id: f.userId,
      account: accountOrAddressOf(f),
    }));
  return sort(rows, "event_time actor event_name resource ip_address user_id account");
};

/** Passwords of schema owners that were reset. */
export const ownerPasswordReset: Oracle = (records, users, params) => {
  const rows = listFacts(records, users)
    .filter(succeeded("provisioner_schema_reset_owner_password"))
    .filter((f) => within(params, f.time))
    .map((f) => ({
      event_time: stamp(f.time),
      actor: f.actor,
      schema_name: f.text("resource_name") ?? f.text("resource_id") ?? f.text("resource_path"),
      ip_address: f.ip,
      user_id: f.userId,
      account: accountOrAddressOf(f),
    }));
  return sort(rows, "event_time actor schema_name ip_address user_id account");
};
