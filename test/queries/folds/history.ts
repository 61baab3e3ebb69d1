import { newRandom, type Random } from "../../../fixtures/random.ts";

type Fields = Readonly<Record<string, unknown>>;

/** Midnight of the first day, in seconds. */
export const firstDay = Date.UTC(2026, 2, 2) / 1000;
export const daysOfHistory = 12;
const dayS = 86_400;

/**
 * Makes records of a small world where everything meets: few jobs, policies, users and seconds; one id in ten refers to
 * two.
 */
export function makeHistory(
  seed: number,
  source: string,
  events: number,
): (Fields & { readonly time: number })[] {
  const random = newRandom(seed, `history of ${source}`);
  return Array.from({ length: events }, (_, n) => ({
    id: `${source}-${n % 10 === 1 ? n - 1 : n}`,
    ...makeEvent(random),
  }));
}

/** What one event in ten of those that may be refused says. */
const refusedAtTimes = (random: Random): Fields =>
  random.chance(0.1) ? { event_result: random.pick(["denied", "Failed", "error"]) } : {};

function makeEvent(random: Random): Fields & { readonly time: number } {
  // Changes of rights share few seconds; jobs come all over the days, some in one second.
  const day = firstDay + random.int(0, daysOfHistory - 1) * dayS;
  const kind = random.pick([jobEvent, jobEvent, editEvent, memberEvent, ownerEvent, otherEvent]);
  const isSpread = kind === otherEvent || (kind === jobEvent && random.chance(0.7));
  const at = random.int(0, isSpread ? dayS - 1 : 2);
  return { time: day + at, ...makeActor(random), ...kind(random) };
}

// Users of the directory are without an e-mail in some records.
function makeActor(random: Random): Fields {
  const user_id = random.int(1, 4);
  const hasEmail = user_id > 2 || random.chance(0.5);
  return {
    ...(random.chance(0.9) ? { user_id } : {}),
    ...(hasEmail ? { user_email: `User${user_id}@Example.com` } : {}),
    ...(random.chance(0.8) ? { ip_address: `192.0.2.${random.int(1, 3)}` } : {}),
  };
}

function jobEvent(random: Random): Fields {
  const job = random.int(1, 14);
  const resource_id = String(1000 + job);
  const dice = random.next();
  const named = random.chance(0.5) ? { resource_name: `db${job % 3}.${resource_id}` } : {};
  const id = random.chance(0.9) || !named.resource_name ? { resource_id, ...named } : named;
  const of = { ...id, ...refusedAtTimes(random) };
  if (dice < 0.25)
    return {
      event_name: "job_issue",
      requested_http_verb: "POST",
      requested_path_info: `/v3/job/issue/presto/db${job % 3}.json`,
      job_type: "presto",
      ...(random.chance(0.7) ? { query_text: `select ${random.int(1, 5)}` } : {}),
      ...(random.chance(0.3) ? { target_table: `db${job % 3}.t`, scheduled_time: firstDay } : {}),
      ...of,
    };
  if (dice < 0.4) return { event_name: "job_kill", ...of };
  if (dice < 0.45) return { event_name: "query_run", ...of };
  const new_value = random.pick(["running", "success", "error", "queued", "killed"]);
  const event_name = random.pick(["job_modify", "job_status_update_by_system"]);
  return { event_name, attribute_name: "status", new_value, ...of };
}

function makeSet(random: Random): string {
  const entry = (): Fields => ({
    operation: random.pick(["query", "edit", "manage"]),
    ...(random.chance(0.7) ? { ids: String(random.int(1, 3)) } : {}),
    ...(random.chance(0.2) ? { audience_id: random.int(1, 2), columns: ["b", "a"] } : {}),
  });
  if (random.chance(0.1)) return random.pick(["{", "", "7", "a set"]);
  return JSON.stringify({ Databases: Array.from({ length: random.int(0, 2) }, entry) });
}

const makePolicy = (random: Random): Fields => {
  const id = random.int(1, 3);
  return { resource_id: String(id), resource_name: random.pick([`Policy ${id}`, `Renamed ${id}`]) };
};

function editEvent(random: Random): Fields {
  const values = { old_value: makeSet(random), new_value: makeSet(random) };
  const denied = refusedAtTimes(random);
  const user = { affected_user_id: random.int(1, 4), affected_user: "somebody" };
  return random.pick<Fields>([
    { event_name: "permission_policy_modify", ...makePolicy(random), ...values, ...denied },
    { event_name: "permission_modify", ...user, ...values, ...denied },
    {
      event_name: "database_permission_modify",
      resource_id: String(random.int(1, 3)),
      resource_name: "crm",
      ...user,
      old_value: random.pick(["", "query"]),
      new_value: random.pick(["query,edit", "import", "none", ""]),
    },
    {
      event_name: "user_modify",
      resource_id: String(random.int(1, 4)),
      attribute_name: "administrator",
      old_value: random.pick(["true", "false", "F", "1"]),
      new_value: random.pick(["true", "FALSE", "t", "0"]),
    },
  ]);
}

function memberEvent(random: Random): Fields {
  const affected_user_id = random.int(1, 4);
  const event_name = random.pick([
    "permission_policy_attach_user",
    "permission_policy_detach_user",
    "role_create",
    "role_delete",
  ]);
  return { event_name, affected_user_id, ...makePolicy(random) };
}

function ownerEvent(random: Random): Fields {
  const event_name = random.pick(["permission_policy_create", "permission_policy_delete"]);
  if (random.chance(0.6)) return { event_name, ...makePolicy(random) };
  return random.chance(0.5)
    ? { event_name: "user_delete", resource_id: String(random.int(1, 4)) }
    : {
        event_name: "database_create",
        resource_id: "1",
        resource_name: random.pick(["crm", "Web"]),
      };
}

function otherEvent(random: Random): Fields {
  return {
    event_name: random.pick(["sign_in", "column_query", "table_delete"]),
    resource_name: "db9.t",
  };
}
