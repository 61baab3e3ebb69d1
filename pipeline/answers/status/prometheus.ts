import type { Fact, Facts } from "../../base/sql/facts.ts";
import type { DeliveryRun } from "../../core/store/delivery-runs.ts";
import type { LedgerFacts, SourceFacts } from "../../core/completeness/ledger-facts.ts";
import type { FindingFacts } from "./findings.ts";
import type { HomeFiles } from "./home-files.ts";

type Labels = Readonly<Record<string, string>>;
type Sample = { readonly labels: Labels; readonly value: number };
type Metric = { readonly name: string; readonly help: string; readonly samples: readonly Sample[] };

type Found = Pick<LedgerFacts, "sources"> & {
  readonly query_texts?: Facts;
  readonly findings?: FindingFacts;
};

/**
 * Writes the metrics for a monitoring system, in the text format of Prometheus: moments as seconds since the epoch,
 * sizes in bytes, amounts unchanged. Unknown values have no line.
 */
export function writePrometheus(
  files: HomeFiles,
  { sources, query_texts: texts = {}, findings }: Found,
  deliveries: readonly DeliveryRun[] = [],
): string {
  const all = [
    ...listFileMetrics(files),
    ...listSourceMetrics(sources),
    {
      name: "query_texts",
      help: "Query texts by state; waiting ones are pending.",
      samples: Object.entries(texts).map(([state, value]) => ({
        labels: { state },
        value: Number(value),
      })),
    },
    ...(findings === undefined ? [] : listFindingMetrics(findings)),
    ...deliveryFacts.map(([name, help, of]) => ({
      name,
      help,
      samples: deliveries.map((run) => {
        const { verb, name: what, target } = run;
        return { labels: { verb, name: what, target }, value: of(run) };
      }),
    })),
  ];
  return all.map(writeMetric).join("");
}

const deliveryFacts: readonly (readonly [
  name: string,
  help: string,
  of: (run: DeliveryRun) => number,
])[] = [
  [
    "delivery_timestamp_seconds",
    "End of the last run of an export or activation.",
    ({ finished_at: at }) => Date.parse(at) / 1000,
  ],
  ["delivery_exit_code", "Exit code of that run.", ({ exit_code: code }) => code],
  ["delivery_accepted_rows", "Rows that the target accepted.", ({ accepted }) => accepted],
  ["delivery_refused_rows", "Rows that the target refused.", ({ refused }) => refused],
  ["delivery_doubtful_rows", "Rows that may have arrived.", ({ doubtful }) => doubtful],
];

function listFindingMetrics({ counts, failed }: FindingFacts): Metric[] {
  return [
    {
      name: "findings",
      help: "Findings by severity and state.",
      samples: counts.map(({ severity, state, findings }) => ({
        labels: { severity: String(severity), state: String(state) },
        value: Number(findings),
      })),
    },
    {
      name: "failed_detections",
      help: "1 if the last evaluation of the detection failed.",
      samples: failed.map(({ detection }) => ({
        labels: { detection: String(detection) },
        value: 1,
      })),
    },
  ];
}

function listFileMetrics({ published, warehouse, landing }: HomeFiles): Metric[] {
  const sizes = [
    ["published", published?.bytes],
    ["warehouse", warehouse?.bytes],
    ["landing", landing.bytes],
  ] as const;
  return [
    {
      name: "file_bytes",
      help: "Size of the files in the home directory.",
      samples: sizes.flatMap(([file, value]) =>
        value === undefined ? [] : [{ labels: { file }, value }],
      ),
    },
    {
      name: "published_timestamp_seconds",
      help: "Time when the published file was written.",
      samples: toSamples({}, published?.written_at ?? null),
    },
  ];
}

const moments: readonly (readonly [name: string, fact: string, help: string])[] = [
  ["last_event_timestamp_seconds", "last_event", "Time of the newest event."],
  [
    "read_up_to_timestamp_seconds",
    "read_up_to",
    "End of the range that was read from the service.",
  ],
  [
    "final_from_timestamp_seconds",
    "final_from",
    "Start of the range that is verified complete without a gap.",
  ],
  [
    "final_up_to_timestamp_seconds",
    "final_up_to",
    "End of the range that is verified complete without a gap.",
  ],
  ["last_success_timestamp_seconds", "last_success", "End of the last complete scheduled run."],
  ["last_error_timestamp_seconds", "last_error_at", "Start of the last run that had an error."],
];

const amounts: readonly (readonly [
  name: string,
  help: string,
  of: (facts: SourceFacts) => number,
])[] = [
  ["events", "Stored events.", ({ totals }) => Number(totals["events"])],
  ["gaps", "Coverage gaps: time ranges that no read could fetch.", ({ gaps }) => gaps.length],
  [
    "unfinalized_windows",
    "Closed windows that are not verified complete.",
    ({ unfinalized }) => unfinalized.reduce((sum, each) => sum + Number(each["windows"] ?? 1), 0),
  ],
  ["backfills_unfinished", "Backfills that did not finish.", ({ backfills }) => backfills.length],
  [
    "last_run_quarantined",
    "Quarantined records of the last run and of the interrupted runs directly before it.",
    ({ totals }) => Number(totals["last_quarantined"]),
  ],
  [
    "vanished",
    "Events that the source no longer returns.",
    ({ totals }) => Number(totals["vanished"]),
  ],
  [
    "id_conflicts",
    "Ids that events with different contents share.",
    ({ totals }) => Number(totals["id_conflicts"]),
  ],
];

function listSourceMetrics(sources: readonly SourceFacts[]): Metric[] {
  return [
    ...moments.map(([name, fact, help]) => ({
      name,
      help,
      samples: sources.flatMap(({ source, totals }) => toSamples({ source }, totals[fact] ?? null)),
    })),
    ...amounts.map(([name, help, of]) => ({
      name,
      help,
      samples: sources.map((facts) => ({ labels: { source: facts.source }, value: of(facts) })),
    })),
  ];
}

function toSamples(labels: Labels, moment: Fact): Sample[] {
  const ms = moment === null ? Number.NaN : Date.parse(String(moment));
  return Number.isNaN(ms) ? [] : [{ labels, value: ms / 1000 }];
}

function writeMetric({ name, help, samples }: Metric): string {
  if (samples.length === 0) return "";
  const full = `auditlake_${name}`;
  const lines = samples.map(({ labels, value }) => `${full}${writeLabels(labels)} ${value}\n`);
  return `# HELP ${full} ${help}\n# TYPE ${full} gauge\n${lines.join("")}`;
}

function writeLabels(labels: Labels): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escapeLabel(value)}"`);
  return pairs.length === 0 ? "" : `{${pairs.join(",")}}`;
}

function escapeLabel(value: string): string {
  return value
    .replaceAll("\\", "\\\\")
    .replaceAll('"', String.raw`\"`)
    .replaceAll("\n", String.raw`\n`);
}
