import { type Severity } from "../../base/report/detection.ts";
import { readToolVersion } from "../../base/home/version.ts";

// Findings as events of the Open Cybersecurity Schema Framework 1.8, class Detection Finding (2004).

/** Facts of a finding for OCSF; times in milliseconds. */
export type OcsfFinding = {
  readonly findingId: string;
  readonly detection: string;
  readonly severity: Severity;
  readonly title: string;
  readonly message: string;
  readonly source: string;
  readonly subjectKind: string;
  readonly subject: string;
  readonly key: string;
  readonly firstMs: number;
  readonly lastMs: number;
  readonly raisedMs: number;
  readonly hits: number;
  readonly state: string;
  readonly isSuppressed: boolean;
  readonly attack: string;
  readonly runbook: string | null;
};

const schemaVersion = "1.8.0";
const classUid = 2004;
const severityIds: Readonly<Record<Severity, number>> = {
  info: 1,
  low: 2,
  medium: 3,
  high: 4,
  critical: 5,
};
const activities = { open: 1, acknowledged: 2, closed: 3, withdrawn: 3 } as const;
const statuses = { open: 1, acknowledged: 2, closed: 4, withdrawn: 4 } as const;
const suppressed = 3;
const ruleType = 1;
// Of observables: user name, address and anything else.
const observableTypes: Readonly<Record<string, number>> = { user: 4, address: 2 };
const otherType = 99;

export function toOcsf(finding: OcsfFinding): object {
  const state = parseState(finding.state);
  const activity = activities[state];
  return {
    activity_id: activity,
    category_uid: 2,
    class_uid: classUid,
    type_uid: classUid * 100 + activity,
    severity_id: severityIds[finding.severity],
    severity: finding.severity,
    status_id: finding.isSuppressed ? suppressed : statuses[state],
    time: finding.raisedMs,
    start_time: finding.firstMs,
    end_time: finding.lastMs,
    count: finding.hits,
    message: finding.message,
    metadata: {
      version: schemaVersion,
      product: { name: "auditlake", vendor_name: "auditlake", version: readToolVersion() },
      log_name: finding.source,
    },
    finding_info: {
      uid: finding.findingId,
      title: finding.title,
      desc: finding.message,
      created_time: finding.raisedMs,
      first_seen_time: finding.firstMs,
      last_seen_time: finding.lastMs,
      analytic: { name: finding.detection, uid: finding.detection, type_id: ruleType },
      ...(finding.attack === "" ? {} : { attacks: finding.attack.split(", ").map(buildAttack) }),
    },
    observables: [
      {
        name: finding.subjectKind,
        type_id: observableTypes[finding.subjectKind] ?? otherType,
        value: finding.subject,
      },
    ],
    evidences: [{ data: JSON.parse(finding.key) as object, ...buildActor(finding) }],
    ...(finding.runbook === null ? {} : { remediation: { desc: finding.runbook } }),
  };
}

function parseState(state: string): keyof typeof activities {
  return state === "acknowledged" || state === "closed" || state === "withdrawn" ? state : "open";
}

function buildAttack(id: string): object {
  const [technique] = id.split(".");
  return {
    technique: { uid: technique },
    ...(id === technique ? {} : { sub_technique: { uid: id } }),
  };
}

function buildActor({ subjectKind, subject, key }: OcsfFinding): object {
  if (subjectKind !== "user") return {};
  const { user_id: uid } = JSON.parse(key) as { readonly user_id?: string | null };
  return { actor: { user: { name: subject, ...(uid == null ? {} : { uid }) } } };
}
