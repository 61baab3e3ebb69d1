import { exportedJob } from "./downloads.ts";
import { readFileSync } from "node:fs";
import type { Read } from "./access-rows.ts";
import { listActivities } from "./jobs.ts";
import type { Right } from "./permissions.ts";
import { shownBy, type Fact } from "./record.ts";
import { within, type Params } from "./rows.ts";
import { tablesIn } from "./texts.ts";

type Rules = {
  readonly jobs: Readonly<Record<string, readonly string[]>>;
  readonly events: Readonly<Record<string, readonly string[]>>;
};
const rules = JSON.parse(readFileSync("schemas/uses.json", "utf8")) as Rules;

/** A use of a database. */
export type Use = {
  readonly userId: string | null;
  readonly time: number;
  readonly operations: readonly string[];
  /** Null if the log does not show it. */
  readonly databaseId: string | null;
};

/** What everybody did with databases in the range. */
export function usesIn(all: Read, params: Params): Use[] {
  const named = listNames(all.facts);
  const listIds = (name: string | null): (string | null)[] => {
    const ids = named.filter((each) => each.name === name?.toLowerCase()).map(({ id }) => id);
    return ids.length === 0 ? [null] : [...new Set(ids)];
  };
  const jobs = listActivities(all.facts)
    .filter((job) => job.kind === "job" && within(params, job.time))
    .flatMap((job) => {
      const tables = tablesIn(job.queryText);
      const touched =
        tables.length === 0
          ? [{ what: "not_read", database: job.database }]
          : tables.map(({ isWritten, database }) => ({
              what: isWritten ? "written" : "read",
              database: database ?? job.database,
            }));
      return touched.flatMap(({ what, database }) =>
        listIds(database).flatMap((databaseId) =>
          shownBy({ userId: job.userId, email: job.fact.email }, all.users).map((userId) => ({
            userId,
            time: job.time,
            operations: rules.jobs[what]!,
            databaseId,
          })),
        ),
      );
    });
  const others = all.facts
    .filter((f) => f.outcome === "succeeded" && within(params, f.time))
    .filter((f) => rules.events[f.canonical ?? ""] !== undefined)
    .flatMap((f) =>
      listPlaces(f, listIds).flatMap((databaseId) =>
        shownBy(f, all.users).map((userId) => ({
          userId,
          time: f.time,
          operations: rules.events[f.canonical!]!,
          databaseId,
        })),
      ),
    );
  return [...jobs, ...others];
}

function listPlaces(
  fact: Fact,
  idsOf: (name: string | null) => (string | null)[],
): (string | null)[] {
  const { canonical, text } = fact;
  if (canonical!.startsWith("database_"))
    return text("resource_id") === null ? idsOf(text("resource_name")) : [text("resource_id")];
  const second = text("target_resource_name") ?? "";
  const job = exportedJob(fact);
  const isOfJob = job !== null && second.endsWith(`.${job}`);
  const place = isOfJob
    ? second
    : (text("target_table") ?? text("job") ?? text("resource_name") ?? "");
  return idsOf(place.includes(".") ? place.split(".")[0]! : null);
}

// Every name that a database ever had, in lower case, and the id that had it then.
function listNames(facts: readonly Fact[]): { readonly name: string; readonly id: string }[] {
  const events = ["create", "modify", "permission_modify", "delete"].map((e) => `database_${e}`);
  return facts.flatMap(({ canonical, outcome, text }) => {
    const [name, id] = [text("resource_name"), text("resource_id")];
    if (outcome !== "succeeded" || !events.includes(canonical ?? "") || !name || !id) return [];
    return [{ name: name.toLowerCase(), id }];
  });
}

/** Whether the use needed the right, or may have needed it. */
export function isUseOf(
  { userId, operations, databaseId }: Use,
  right: Pick<Right, "operation" | "objectId">,
  all: Read,
): boolean {
  const isOwn = databaseId !== null && all.databases.get(databaseId)?.makerId === userId;
  const fits =
    ["manage", "administrator", "account_owner"].includes(right.operation) ||
    operations.includes(right.operation) ||
    (right.operation === "owner_manage" && isOwn);
  return fits && (right.objectId === null || databaseId === null || databaseId === right.objectId);
}
