import { clockAt, isWeekendAt } from "./clock.ts";
import { factsOf, type Fact, type RawRecord, type User } from "./record.ts";
import {
  distinct,
  hourMs,
  dayMs,
  largestId,
  rowsBy,
  sorted,
  span,
  stamp,
  within,
  type Cell,
  type Oracle,
  type Params,
  type Row,
} from "./rows.ts";

// Reports that list or count events of a few names.

const named = (names: string) => {
  const known = new Set(names.split(" "));
  return (f: Fact): boolean => known.has(f.canonical ?? "");
};

function eventsIn(
  records: readonly RawRecord[],
  users: readonly User[],
  params: Params,
  isWanted: (f: Fact) => boolean,
): Fact[] {
  return factsOf(records, users).filter((f) => within(params, f.time) && isWanted(f));
}

/** One row per event, with some of its fields under names of their own. */
function listOf(isWanted: (f: Fact) => boolean, fields: Readonly<Record<string, string>>): Oracle {
  const order = ["event_time", "actor", "event_name", ...Object.keys(fields)];
  return (records, users, params) => {
    const rows = eventsIn(records, users, params, isWanted).map((f): Row => {
      const own = Object.entries(fields).map(([name, field]) => [name, f.text(field)] as const);
      return {
        event_time: stamp(f.time),
        actor: f.actor,
        event_name: f.canonical,
        ...Object.fromEntries(own),
        outcome: f.outcome,
        ip_address: f.ip,
        user_id: f.userId,
      };
    });
    return sorted(rows, [...order, "outcome", "ip_address", "user_id"].join(" "));
  };
}

/** One row per actor, event and something else; how many of them under a name of its own. */
function countsOf(
  isWanted: (f: Fact) => boolean,
  key: string,
  keyOf: (f: Fact) => string,
  counted: string,
): Oracle {
  return (records, users, params) => {
    const rows = rowsBy(
      eventsIn(records, users, params, isWanted),
      (f) => [f.actor, keyOf(f), f.canonical],
      (group): Row => ({
        actor: group[0].actor,
        [key]: keyOf(group[0]),
        event_name: group[0].canonical,
        [counted]: group.length,
        refused: group.filter((f) => f.outcome !== "succeeded").length,
        ...span(group.map((f) => f.time)),
        user_id: largestId(group.map((f) => f.userId)),
      }),
    );
    return sorted(rows, `-${counted} actor ${key} event_name`);
  };
}

const resourceOf = (f: Fact): string =>
  f.text("resource_name") ?? f.text("resource_id") ?? "not recorded";

export const accountChanges = listOf(named("account_modify password_policy_modify"), {
  attribute_name: "attribute_name",
  old_value: "old_value",
  new_value: "new_value",
});
export const invitations = listOf(named("user_invite user_invite_accepted user_delete"), {
  invited: "resource_name",
  invited_id: "resource_id",
});
export const workflowHttpCalls = listOf(named("workflow_http_call"), {
  workflow: "resource_name",
  call: "event_detail",
  revision_by: "revision_created_user",
});
export const zeroCopyChanges = listOf((f) => f.area === "Zero-copy", {
  configuration: "resource_name",
  configuration_id: "resource_id",
  attribute_name: "attribute_name",
  old_value: "old_value",
  new_value: "new_value",
});
export const savedQueryChanges = listOf(
  named("query_create query_clone query_modify query_delete"),
  {
    query_name: "resource_name",
    query_id: "resource_id",
  },
);
export const auditLogDownloads = countsOf(
  named("audit_log_download"),
  "ip_address",
  (f) => f.ip ?? "not recorded",
  "downloads",
);
export const activationsRun = countsOf(
  named(
    "syndication_run web_access_token_run journey_activation_step_create realtime_journey_activation_step_create segment_campaign_create",
  ),
  "activation",
  resourceOf,
  "runs",
);
export const activationDownloads = countsOf(
  named(
    "syndication_execution_download segment_customer_query customer_index customer_show profile_index customer_attributes_index customer_activity_index audience_sample audience_behavior_sample audience_behavior_poll_records bulk_import_error_records_download",
  ),
  "resource",
  resourceOf,
  "downloads",
);

/** Mails; with a domain, those that go elsewhere too. */
export const workflowMails: Oracle = (records, users, params) => {
  const domain = params["domain"];
  const rows = eventsIn(records, users, params, named("workflow_email_send")).flatMap(
    (f): Row[] => {
      const lists = ["mail_to", "mail_cc", "mail_bcc"].map((field) => f.text(field));
      const found = lists.flatMap((list) => list?.match(/@[^\s,;"'>\]]*/g) ?? []);
      const isOwn = (at: string): boolean =>
        at.toLowerCase() === `@${String(domain).toLowerCase()}`;
      const outside = found.filter((at) => !isOwn(at)).length;
      if (domain !== undefined && outside === 0) return [];
      return [
        {
          event_time: stamp(f.time),
          actor: f.actor,
          workflow: f.text("resource_name"),
          mail_subject: f.text("mail_subject"),
          mail_to: lists[0]!,
          mail_cc: lists[1]!,
          mail_bcc: lists[2]!,
          addresses: found.length,
          outside: domain === undefined ? null : outside,
          user_id: f.userId,
        },
      ];
    },
  );
  return sorted(rows, "event_time actor workflow mail_subject mail_to mail_cc mail_bcc user_id");
};

/** Whoever did anything. */
export const activeUsers: Oracle = (records, users, params) => {
  const isNamed = (f: Fact): boolean => f.email !== null || f.userId !== null;
  const isSignIn = named("sign_in sign_in_reporting paas_sign_in");
  const rows = rowsBy(
    eventsIn(records, users, params, isNamed),
    (f) => [f.actor],
    (group) => ({
      actor: group[0].actor,
      events: group.length,
      active_days: distinct(group.map((f) => Math.floor(f.time / dayMs))),
      sign_ins: group.filter(isSignIn).length,
      refused: group.filter((f) => f.outcome !== "succeeded").length,
      addresses: distinct(group.map((f) => f.ip)),
      ...span(group.map((f) => f.time)),
      user_id: largestId(group.map((f) => f.userId)),
    }),
  );
  return sorted(rows, "-events actor");
};

/** Denials by the hour of the day. */
export const denialsByHour: Oracle = (records, users, params) => {
  const hour = (f: Fact): number => clockAt(f.time, params).hour;
  const isWeekend = (f: Fact): boolean => isWeekendAt(f.time, params);
  const rows = rowsBy(
    eventsIn(records, users, params, (f) => f.outcome !== "succeeded"),
    (f) => [hour(f)],
    (group) => ({
      hour_of_day: hour(group[0]),
      denials: group.length,
      failed_sign_ins: group.filter((f) => f.denialKind === "failed_sign_in").length,
      at_weekends: group.filter(isWeekend).length,
      actors: distinct(group.map((f) => f.actor)),
    }),
  );
  return sorted(rows, "hour_of_day");
};

/** Who and what appears in the range and never before. */
export const firstSeen: Oracle = (records, users, params) => {
  const all = factsOf(records, users).flatMap((f) => {
    const email = f.text("user_email")?.toLowerCase() || null;
    const subjects = { user: f.userId, email, address: f.ip || null };
    return Object.entries(subjects).flatMap(([kind, subject]) =>
      subject === null ? [] : [{ kind, subject, time: f.time }],
    );
  });
  const rows = rowsBy(
    all,
    ({ kind, subject }) => [kind, subject],
    (group) => {
      const times = group.map(({ time }) => time);
      if (!within(params, Math.min(...times))) return null;
      const { first_at, last_at } = span(times);
      const { kind, subject } = group[0];
      return { first_at, subject_kind: kind, subject, events: group.length, last_at };
    },
  );
  return sorted(rows, "first_at subject_kind subject");
};

/** Keys, and addresses that their actors used after them and never in the days before. */
export const apiKeyThenNewAddress: Oracle = (records, users, params) => {
  const [hours, days] = [Number(params["hours"] ?? 24), Number(params["days"] ?? 30)];
  const facts = factsOf(records, users).filter((f) => f.userId !== null);
  const isKey = named("user_apikey_generate user_apikey_download");
  const keys = facts.filter((f) => within(params, f.time) && isKey(f) && f.outcome === "succeeded");
  const distinctKeys = rowsBy(
    keys,
    (f) => [f.userId, f.time, f.canonical, f.actor, f.ip],
    ([f]) => ({ user: f.userId, time: f.time, name: f.canonical, actor: f.actor, ip: f.ip }),
  );
  const rows = distinctKeys.flatMap((key) => {
    const at = Number(key["time"]);
    const own = facts.filter((f) => f.userId === key["user"]);
    const known = new Set(
      own.filter((f) => f.time <= at && f.time >= at - days * dayMs).map((f) => f.ip),
    );
    const after = own.filter((f) => f.time > at && f.time <= at + hours * hourMs);
    const fresh = after.filter((f) => f.ip !== null && f.ip !== "internal" && !known.has(f.ip));
    return rowsBy(
      fresh,
      (f) => [f.ip],
      (group) => ({
        key_at: stamp(at),
        actor: key["actor"]!,
        event_name: key["name"]!,
        key_address: key["ip"]!,
        new_address: group[0].ip,
        first_use_at: span(group.map((f) => f.time)).first_at,
        events: group.length,
        user_id: key["user"]!,
      }),
    );
  });
  return sorted(rows, "key_at actor event_name key_address new_address user_id");
};

/** Connections that their makers used within some hours. */
export const connectionsUsedAtOnce: Oracle = (records, users, params) => {
  const reach = Number(params["hours"] ?? 24) * hourMs;
  const all = factsOf(records, users).filter((f) => f.outcome === "succeeded");
  const uses = all.filter(
    (f) =>
      named("job_result_export data_transfer_create data_transfer_run")(f) &&
      f.time >= params.since &&
      f.time < params.until + reach,
  );
  const made = all.filter(
    (f) => within(params, f.time) && named("connection_create paas_create")(f),
  );
  const rows = rowsBy(
    made,
    (f): Cell[] => [f.userId, f.time, f.actor, f.text("resource_id"), f.text("resource_name")],
    ([f]) => {
      const own = uses.filter(
        (use) => use.actor === f.actor && use.time >= f.time && use.time <= f.time + reach,
      );
      if (own.length === 0) return null;
      const target = (use: Fact): string | null =>
        use.text("target_resource_id") ?? use.text("target_connection");
      const id = f.text("resource_id");
      return {
        made_at: stamp(f.time),
        actor: f.actor,
        connection: f.text("resource_name"),
        connection_id: id,
        uses: own.length,
        uses_that_name_it: own.filter((use) => id !== null && target(use) === id).length,
        first_use_at: span(own.map((use) => use.time)).first_at,
        user_id: f.userId,
      };
    },
  );
  return sorted(rows, "made_at actor connection connection_id user_id");
};
