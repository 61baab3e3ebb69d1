import { listRights, type AccessSnapshot, type Right } from "../../fixtures/access/snapshot.ts";

/** Rights as texts that compare; equal rights give equal texts. */
export type Texts = readonly string[];

const columns = [
  "subject_kind",
  "subject_id",
  "origin",
  "way",
  "policy_id",
  "resource_kind",
  "operation",
  "object_id",
  "object_name",
];

// Their objects have ids; the names beside them are for the reader.
const numbered: readonly unknown[] = ["Databases", "Policies", "Roles"];

/** Formats a row of a view, or a right of the service's own state, as text; missing columns count as null. */
export function formatText(row: Readonly<Record<string, unknown>>): string {
  const shown = numbered.includes(row["resource_kind"]) ? { ...row, object_name: null } : row;
  return JSON.stringify(columns.map((column) => shown[column] ?? null));
}

/** All rights of a state but the flags of users. */
export function rightTexts(state: AccessSnapshot): Texts {
  return listRights(state)
    .filter(({ by }) => by !== "flag")
    .map((right) => formatText({ ...right, origin: right.by }));
}

/** The flags of users. */
export function flagTexts(state: AccessSnapshot): Texts {
  return listRights(state)
    .filter(({ by }) => by === "flag")
    .map((right) => formatText({ ...right, origin: right.by }));
}

/** What each user can do, directly and through each policy that they belong to. */
export function accessTexts(state: AccessSnapshot): Texts {
  const rights = listRights(state);
  const ofPolicy = Map.groupBy(rights, ({ subject_id }) => subject_id);
  return rights
    .filter(({ subject_kind }) => subject_kind === "user")
    .flatMap((right): string[] => {
      const { subject_id, by, resource_kind, object_id } = right;
      const policy = by === "member" && resource_kind === "Policies" ? object_id : null;
      const held = (ofPolicy.get(policy ?? "") ?? []).filter((r) => r.subject_kind === "policy");
      return [
        accessText(right, subject_id, by, policy),
        ...held.map((r) => accessText(r, subject_id, "policy", policy)),
      ];
    });
}

function accessText(right: Right, user: string, way: string, policy_id: string | null): string {
  const { resource_kind, operation, object_id, object_name } = right;
  const what = { resource_kind, operation, object_id, object_name };
  return formatText({ subject_id: user, way, policy_id, ...what });
}
