import { accountOrAddressOf, numberIn } from "./hits.ts";
import { listFacts, type Fact, type RawRecord, type User } from "./record.ts";
import {
  dayMs,
  hourMs,
  sort,
  span,
  stamp,
  sum,
  within,
  type Cell,
  type Oracle,
  type Params,
  type Row,
} from "./rows.ts";

// What leaves: much of it, to somewhere new, or by something that had not run before.

/** Who it is, for comparisons: the id, else the account or the address. */
export const personOf = (f: Fact): string => f.userId ?? accountOrAddressOf(f)!;

/** The columns that key a person. */
export const keyOf = (f: Fact): Row => ({ user_id: f.userId, account: accountOrAddressOf(f) });

/** Downloads with which a person reaches many bytes within hours, far more than before. */
export const largeDownloads: Oracle = (records, users, params) => {
  const reach = numberIn(params, "hours", 24) * hourMs;
  const downloads = listFacts(records, users).filter(
    (f) => f.canonical === "job_result_download" && f.outcome === "succeeded",
  );
  const lastHours = (f: Fact): Fact[] =>
    downloads.filter(
      (d) => personOf(d) === personOf(f) && d.time <= f.time && f.time - d.time <= reach,
    );
  const bytesOf = (f: Fact): number => sum(lastHours(f).map((d) => d.number("bytesize")));
  const rows = downloads
    .filter((f) => within(params, f.time) && bytesOf(f) >= numberIn(params, "bytes", 1e9))
    .flatMap((f): Row[] => {
      const start = f.time - reach;
      const before = downloads.filter(
        (d) =>
          personOf(d) === personOf(f) &&
          d.time < start &&
          start - d.time <= numberIn(params, "days", 30) * dayMs,
      );
      const largest = before.reduce((most, d) => Math.max(most, bytesOf(d)), 0);
      const usual = Math.max(largest, numberIn(params, "usual_bytes", 1e8));
      const times = Math.max(1, Math.floor(bytesOf(f) / usual));
      if (times < numberIn(params, "times", 10)) return [];
      return [
        {
          event_time: stamp(f.time),
          actor: f.actor,
          bytes: bytesOf(f),
          downloads: lastHours(f).length,
          largest_before: largest,
          times_usual: times,
          first_at: span(lastHours(f).map((d) => d.time)).first_at,
          ip_address: f.ip,
          ...keyOf(f),
        },
      ];
    });
  return sort(
    rows,
    "event_time actor bytes downloads largest_before times_usual first_at ip_address user_id account",
  );
};

type Seen = { readonly fact: Fact; readonly what: string };

/** The first of each thing in the range, once the source is known for long enough. */
export function firstsOf(
  records: readonly RawRecord[],
  users: readonly User[],
  params: Params,
  whatOf: (f: Fact) => readonly string[],
): Seen[] {
  const facts = listFacts(records, users);
  const seen = facts.flatMap((fact) => whatOf(fact).map((what) => ({ fact, what })));
  const firstAt = new Map<string, number>();
  for (const { fact, what } of seen)
    firstAt.set(what, Math.min(fact.time, firstAt.get(what) ?? Infinity));
  const learntAt =
    facts.reduce((first, { time }) => Math.min(first, time), Infinity) +
    numberIn(params, "learning_hours", 720) * hourMs;
  return seen.filter(
    ({ fact, what }) =>
      within(params, fact.time) && fact.time === firstAt.get(what) && fact.time >= learntAt,
  );
}

const workflowOf = (f: Fact): Cell => f.text("resource_name") ?? "not recorded";

/** Images of script tasks. */
export const newScriptImage: Oracle = (records, users, params) => {
  const imageOf = (f: Fact): string[] => {
    const written = f.text("docker_image");
    if (!/^custom_script_task_(?:starts|ends)$/.test(f.canonical ?? "") || !written) return [];
    return [
      written
        .trim()
        .toLowerCase()
        .replace(/@.*$/, "")
        .replace(/:[^/]*$/, ""),
    ];
  };
  const rows = firstsOf(records, users, params, imageOf).map(({ fact, what }) => ({
    event_time: stamp(fact.time),
    image: what,
    docker_image: fact.text("docker_image"),
    workflow: workflowOf(fact),
    revision_by: fact.text("revision_created_user"),
    actor: fact.actor,
    user_id: fact.userId,
  }));
  return sort(rows, "event_time image docker_image workflow revision_by actor user_id");
};

/** Hosts that workflows call. */
export const newHttpHost: Oracle = (records, users, params) => {
  const hostOf = (f: Fact): string[] => {
    if (f.canonical !== "workflow_http_call" || f.outcome !== "succeeded") return [];
    const text = f.text("event_detail")?.replaceAll("\\/", "/") ?? "";
    const [, host] =
      /:\/\/(?:[^/?#"'\s\\,@]*@)?(\[[^\]]*\]|[^/?#"'\s\\,:]*)/.exec(text.toLowerCase()) ?? [];
    return host ? [host] : [];
  };
  const rows = firstsOf(records, users, params, hostOf).map(({ fact, what }) => ({
    event_time: stamp(fact.time),
    host: what,
    workflow: workflowOf(fact),
    call: fact.text("event_detail"),
    revision_by: fact.text("revision_created_user"),
    actor: fact.actor,
    user_id: fact.userId,
  }));
  return sort(rows, "event_time host workflow call revision_by actor user_id");
};

/** Domains outside that workflows mail. */
export const workflowMailOutside: Oracle = (records, users, params) => {
  const given = params["internal_domains"];
  const inside = new Set(
    given === undefined
      ? users.map(({ email }) => email.toLowerCase().replace(/^[^@]*@/, ""))
      : String(given).toLowerCase().replaceAll(" ", "").split(","),
  );
  const fields = ["mail_to", "mail_cc", "mail_bcc"];
  const domainsOf = (f: Fact): string[] => {
    if (f.canonical !== "workflow_email_send" || f.outcome !== "succeeded") return [];
    const found = fields.flatMap(
      (name) =>
        f
          .text(name)
          ?.toLowerCase()
          .match(/(?<=@)[^\s,;"'>\]]+/g) ?? [],
    );
    return [...new Set(found)].filter((domain) => !inside.has(domain));
  };
  const rows = firstsOf(records, users, params, domainsOf).map(({ fact, what }) => ({
    event_time: stamp(fact.time),
    domain: what,
    workflow: workflowOf(fact),
    mail_subject: fact.text("mail_subject"),
    mail_to: fact.text("mail_to"),
    mail_cc: fact.text("mail_cc"),
    mail_bcc: fact.text("mail_bcc"),
    actor: fact.actor,
    user_id: fact.userId,
  }));
  return sort(
    rows,
    "event_time domain workflow mail_subject mail_to mail_cc mail_bcc actor user_id",
  );
};

/** Exports of whole tables that are the first of a person or of a table. */
export const tableExport: Oracle = (records, users, params) => {
  const tableOf = (f: Fact): string | null => {
    if (f.operation !== "POST /v3/export/run/:database_name/:table_name") return null;
    if (f.outcome !== "succeeded") return null;
    const [, database, table] = /export\/run\/([^/?]*)\/([^/?.]*)/.exec(f.path!.toLowerCase())!;
    return `${database}.${table}`;
  };
  const whatOf = (f: Fact): string[] => {
    const table = tableOf(f);
    return table === null ? [] : [`person ${personOf(f)}`, `table ${table}`];
  };
  const firsts = Map.groupBy(firstsOf(records, users, params, whatOf), ({ fact }) => fact);
  const rows = [...firsts].map(([f, seen]) => ({
    event_time: stamp(f.time),
    actor: f.actor,
    exported_table: tableOf(f),
    first_of: seen.map(({ what }) => what.split(" ")[0]).join(" and "),
    job_id: f.text("resource_id"),
    ip_address: f.ip,
    ...keyOf(f),
  }));
  return sort(rows, "event_time actor exported_table first_of job_id ip_address user_id account");
};
