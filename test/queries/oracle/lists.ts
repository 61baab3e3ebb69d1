import { clockAt, isWeekendAt } from "./clock.ts";
import { isDenial } from "./classify.ts";
import { listFacts, type Fact, type RawRecord, type User } from "./record.ts";
import {
  distinct,
  dayMs,
  largestId,
  rowsBy,
  sort,
  span,
  stamp,
  within,
  type Oracle,
  type Params,
  type Row,
} from "./rows.ts";
import { keyOf } from "./taken-out.ts";

// Reports that list or count events of a few names.

const findNamed = (names: string) => {
  const known = new Set(names.split(" "));
  return (f: Fact): boolean => known.has(f.canonical ?? "");
};

function eventsIn(
  records: readonly RawRecord[],
  users: readonly User[],
  params: Params,
  isWanted: (f: Fact) => boolean,
): Fact[] {
  return listFacts(records, users).filter((f) => within(params, f.time) && isWanted(f));
}

/** One row per event, with some of its fields under names of their own. */
function buildList(
  isWanted: (f: Fact) => boolean,
  fields: Readonly<Record<string, string>>,
): Oracle {
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
    return sort(rows, [...order, "outcome", "ip_address", "user_id"].join(" "));
  };
}

/** One row per actor, event and something else, with its id; how many succeeded under a name of its own. */
function listCounts(
  isWanted: (f: Fact) => boolean,
  key: string,
  keyOf: (f: Fact) => string,
  counted: string,
  id?: string,
): Oracle {
  return (records, users, params) => {
    const rows = rowsBy(
      eventsIn(records, users, params, isWanted),
      (f) => [f.actor, keyOf(f), id === undefined ? null : f.text("resource_id"), f.canonical],
      (group): Row => ({
        actor: group[0].actor,
        [key]: keyOf(group[0]),
        event_name: group[0].canonical,
        [counted]: group.filter((f) => f.outcome === "succeeded").length,
        refused: group.filter(isDenial).length,
        ...span(group.map((f) => f.time)),
        ...(id === undefined ? {} : { [id]: group[0].text("resource_id") }),
        user_id: largestId(group.map((f) => f.userId)),
      }),
    );
    return sort(rows, `-${counted} -refused actor ${key} event_name ${id ?? ""}`.trim());
  };
}

const getResource = (f: Fact): string =>
  f.text("resource_name") ?? f.text("resource_id") ?? "not recorded";

export const accountChanges = buildList(findNamed("account_modify password_policy_modify"), {
  attribute_name: "attribute_name",
  old_value: "old_value",
  new_value: "new_value",
});
export const invitations = buildList(findNamed("user_invite user_invite_accepted user_delete"), {
  invited: "resource_name",
  invited_id: "resource_id",
});
export const workflowHttpCalls = buildList(findNamed("workflow_http_call"), {
  workflow: "resource_name",
  call: "event_detail",
  revision_by: "revision_created_user",
});
/** Changes of zero-copy configurations. */
export const zeroCopyChanges: Oracle = (records, users, params) => {
  const isWanted = (f: Fact): boolean => f.area === "Zero-copy" && !isDenial(f);
  const rows = eventsIn(records, users, params, isWanted).map((f) => ({
    event_time: stamp(f.time),
    actor: f.actor,
    event_name: f.canonical,
    configuration: f.text("resource_name"),
    configuration_id: f.text("resource_id"),
    attribute_name: f.text("attribute_name"),
    old_value: f.text("old_value"),
    new_value: f.text("new_value"),
    outcome: f.outcome,
    ip_address: f.ip,
    ...keyOf(f),
  }));
  return sort(
    rows,
    "event_time actor event_name configuration configuration_id attribute_name old_value new_value outcome ip_address user_id account",
  );
};
export const savedQueryChanges = buildList(
  findNamed("query_create query_clone query_modify query_delete"),
  {
    query_name: "resource_name",
    query_id: "resource_id",
  },
);
export const auditLogDownloads = listCounts(
  findNamed("audit_log_download"),
  "ip_address",
  (f) => f.ip ?? "not recorded",
  "downloads",
);
export const activationsRun = listCounts(
  findNamed(
    "syndication_run web_access_token_run journey_activation_step_create realtime_journey_activation_step_create segment_campaign_create",
  ),
  "activation",
  getResource,
  "runs",
  "activation_id",
);
export const activationDownloads = listCounts(
  findNamed(
    "syndication_execution_download segment_customer_query customer_index customer_show profile_index customer_attributes_index customer_activity_index audience_sample audience_behavior_sample audience_behavior_poll_records bulk_import_error_records_download",
  ),
  "resource",
  getResource,
  "downloads",
  "resource_id",
);

/** Mails; with a domain, those that go elsewhere too. */
export const workflowMails: Oracle = (records, users, params) => {
  const domain = params["domain"];
  const rows = eventsIn(records, users, params, findNamed("workflow_email_send")).flatMap(
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
  return sort(rows, "event_time actor workflow mail_subject mail_to mail_cc mail_bcc user_id");
};

/** Every user who did anything. */
export const activeUsers: Oracle = (records, users, params) => {
  const isNamed = (f: Fact): boolean => f.email !== null || f.userId !== null;
  const isSignIn = findNamed("sign_in sign_in_reporting paas_sign_in");
  const rows = rowsBy(
    eventsIn(records, users, params, isNamed),
    (f) => [f.actor],
    (group) => ({
      actor: group[0].actor,
      events: group.length,
      active_days: distinct(group.map((f) => Math.floor(f.time / dayMs))),
      sign_ins: group.filter((f) => isSignIn(f) && f.outcome === "succeeded").length,
      refused: group.filter(isDenial).length,
      addresses: distinct(group.map((f) => (f.ip === "internal" ? null : f.ip))),
      ...span(group.map((f) => f.time)),
      user_id: largestId(group.map((f) => f.userId)),
    }),
  );
  return sort(rows, "-events actor");
};

/** Denials by the hour of the day. */
export const denialsByHour: Oracle = (records, users, params) => {
  const hour = (f: Fact): number => clockAt(f.time, params).hour;
  const isWeekend = (f: Fact): boolean => isWeekendAt(f.time, params);
  const rows = rowsBy(
    eventsIn(records, users, params, isDenial),
    (f) => [hour(f)],
    (group) => ({
      hour_of_day: hour(group[0]),
      denials: group.length,
      failed_sign_ins: group.filter((f) => f.denialKind === "failed_sign_in").length,
      at_weekends: group.filter(isWeekend).length,
      actors: distinct(group.map((f) => f.actor)),
    }),
  );
  return sort(rows, "hour_of_day");
};

/** Who and what appears in the range and never before. */
export const firstSeen: Oracle = (records, users, params) => {
  const all = listFacts(records, users).flatMap((f) => {
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
  return sort(rows, "first_at subject_kind subject");
};
