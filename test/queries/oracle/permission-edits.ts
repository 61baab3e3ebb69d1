import { listFacts, type Fact, type RawRecord, type User } from "./record.ts";
import { distinct, rowsBy, sort, stamp, within, type Oracle, type Params } from "./rows.ts";

const names =
  /^(permission_policy_(create|modify|delete|attach_user|detach_user)|(database_)?permission_modify|role_(create|delete))$/;

function listEdits(records: readonly RawRecord[], users: readonly User[], params: Params): Fact[] {
  return listFacts(records, users).filter(
    (f) => within(params, f.time) && names.test(f.canonical ?? ""),
  );
}

/** Each event about a policy, role or permission, with what it says. */
export const permissionEditsList: Oracle = (records, users, params) => {
  const rows = listEdits(records, users, params).map((f) => {
    const id = f.text("affected_user_id");
    return {
      event_time: stamp(f.time),
      actor: f.actor,
      event_name: f.canonical,
      resource: f.text("resource_name") ?? f.text("resource_id"),
      affected: f.text("affected_user") ?? (id === null ? null : `user ${id}`),
      outcome: f.outcome,
      ip_address: f.ip,
      old_value: f.text("old_value"),
      new_value: f.text("new_value"),
      user_id: f.userId,
    };
  });
  return sort(
    rows,
    "event_time actor event_name resource affected outcome ip_address old_value new_value user_id",
  );
};

/** The same events counted by day and name. */
export const permissionEditsByDay: Oracle = (records, users, params) => {
  const day = (f: Fact): string => stamp(f.time).slice(0, 10);
  const rows = rowsBy(
    listEdits(records, users, params),
    (f) => [day(f), f.canonical],
    (group) => ({
      day: day(group[0]),
      event_name: group[0].canonical,
      edits: group.length,
      actors: distinct(group.map((f) => f.actor)),
      not_succeeded: group.filter((f) => f.outcome !== "succeeded").length,
    }),
  );
  return sort(rows, "day event_name");
};
