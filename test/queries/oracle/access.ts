import { holder, isNamed, buildObject, overlapping, read } from "./access-rows.ts";
import { getReach, listWays } from "./reach.ts";
import { sort, within, type Cell, type Oracle, type Row } from "./rows.ts";
import { isUseOf, usesIn } from "./uses.ts";

/** Who reaches databases, or the one that is asked for. */
export const databaseAccess: Oracle = (records, users, params) => {
  const all = read(records, users);
  const wanted = params["database"] ?? null;
  const isWanted = (id: string | null): boolean =>
    id !== null && isNamed(wanted, id, all.databases.get(id)?.name ?? null);
  const isMaker = (userId: string): boolean =>
    wanted === null || [...all.databases].some(([id, d]) => d.makerId === userId && isWanted(id));
  const rows = overlapping(listWays(all.facts, users), params)
    .filter((way) => {
      const reach = getReach(way);
      if (reach === "one database") return isWanted(way.objectId);
      return reach === "own databases" ? isMaker(way.userId) : reach !== null;
    })
    .map((way) => ({
      ...holder(way, all),
      database_name: way.kind === "Databases" ? buildObject(way, all) : null,
      database_id: way.kind === "Databases" ? way.objectId : null,
    }));
  return sort(
    rows,
    "holder operation reach database_name way policy valid_from valid_to known_from is_listed user_id policy_id database_id",
  );
};

/** What users could do, or the one that is asked for. */
export const userPermissions: Oracle = (records, users, params) => {
  const all = read(records, users);
  const buildEmail = (id: string): Cell => users.find((u) => String(u.id) === id)?.email ?? null;
  const rows = overlapping(listWays(all.facts, users), params)
    .filter(({ userId }) =>
      list(params["user"]).some((wanted) => isNamed(wanted, userId, buildEmail(userId))),
    )
    .map((way) => ({
      ...holder(way, all),
      resource_kind: way.kind,
      object: buildObject(way, all),
      object_id: way.objectId,
    }));
  return sort(
    rows,
    "holder way resource_kind operation object reach policy valid_from valid_to known_from is_listed user_id policy_id object_id",
  );
};

// One, several with commas between them, or all.
function list(names: string | number | undefined): (string | null)[] {
  if (names === undefined) return [null];
  return String(names)
    .split(",")
    .map((name) => name.trim());
}

/** Who may do everything. */
export const fullAccessHolders: Oracle = (records, users, params) => {
  const all = read(records, users);
  const rows = overlapping(listWays(all.facts, users), params)
    .filter((way) => getReach(way) === "every database")
    .filter(({ operation }) => ["manage", "administrator", "account_owner"].includes(operation))
    .map((way): Row => {
      const { reach: _, ...row } = holder(way, all);
      return { ...row, granted_by: way.grantedBy };
    });
  return sort(
    rows,
    "holder operation way policy valid_from granted_by valid_to known_from is_listed user_id policy_id",
  );
};

/** Rights on databases that were given and of which the log shows no use. */
export const unusedGrants: Oracle = (records, users, params) => {
  const all = read(records, users);
  const uses = usesIn(all, params);
  const rows = listWays(all.facts, users)
    .filter((way) => getReach(way) !== null)
    .filter(({ from, to, grantedBy }) => {
      const isGiven = from !== null && grantedBy !== null && within(params, from);
      return (from === null || isGiven) && (to === null || to > params.until);
    })
    .filter((way) => {
      // A flag is on the account, and on no database.
      const right = { ...way, objectId: way.kind === "Databases" ? way.objectId : null };
      return !uses.some(
        (use) =>
          use.userId === way.userId && use.time >= (way.from ?? 0) && isUseOf(use, right, all),
      );
    })
    .map((way) => {
      const {
        valid_from,
        valid_to: _to,
        known_from: _known,
        is_listed: _is,
        ...row
      } = holder(way, all);
      return {
        ...row,
        granted_at: valid_from ?? null,
        granted_by: way.grantedBy,
        database_name: way.kind === "Databases" ? buildObject(way, all) : null,
        database_id: way.kind === "Databases" ? way.objectId : null,
      };
    });
  return sort(
    rows,
    "granted_at holder operation reach database_name way policy granted_by user_id policy_id database_id",
  );
};
