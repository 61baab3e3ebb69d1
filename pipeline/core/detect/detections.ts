import { normaliseSql } from "../../../schemas/generators/fingerprints.ts";
import { createHash } from "node:crypto";
import type { ConfigFile } from "../../../schemas/config.ts";
import { UsageError } from "../../base/errors.ts";
import type { DetectionForm, Severity } from "../../base/report/detection.ts";
import type { Report } from "../../base/report/find.ts";
import { buildQuestion } from "../../base/report/params.ts";
import type { Question } from "../../base/sql/question.ts";

/** A detection as the configuration has it: its report, severity, parameters, and what is known already. */
export type Detection = {
  readonly name: string;
  readonly report: Report;
  readonly form: DetectionForm;
  readonly severity: Severity;
  /** Key values by column; hits that match all values of an entry raise no finding. */
  readonly known: readonly Readonly<Record<string, string>>[];
  /** Values of all parameters but the range. */
  readonly parameters: Question["values"];
  /** Hash of all that decides on its hits: another one means that the whole log is evaluated again. */
  readonly fingerprint: string;
};

/** What the configuration says about detections. */
export type DetectionSettings = Pick<ConfigFile, "detections" | "findings">;

/**
 * The enabled detections among reports, by name. Throws UsageError for a name, a parameter or a key column of the
 * configuration that does not exist.
 */
export function chooseDetections(
  reports: readonly Report[],
  { detections, findings }: DetectionSettings,
): Detection[] {
  const named = new Map(
    reports.flatMap((report) => (report.detection === undefined ? [] : [[report.name, report]])),
  );
  for (const name of [...Object.keys(detections), ...Object.keys(findings.known)])
    if (!named.has(name))
      throw new UsageError(
        `no detection is called ${JSON.stringify(name)}; auditlake findings detections lists all`,
      );
  return [...named.values()]
    .filter(({ name }) => detections[name]?.enabled ?? true)
    .map((report) => readDetection(report, { detections, findings }))
    .toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

/** A detection with its settings of the configuration, also where it is disabled there. */
export function configureDetection(
  report: Report,
  { detections, findings }: DetectionSettings,
): Detection {
  const { name } = report;
  const [own, known] = [detections[name], findings.known[name]];
  const [detection] = chooseDetections([report], {
    detections: own === undefined ? {} : { [name]: { ...own, enabled: true } },
    findings: { ...findings, known: known === undefined ? {} : { [name]: known } },
  });
  return detection!;
}

function readDetection(report: Report, { detections, findings }: DetectionSettings): Detection {
  const { name, detection: form } = report;
  const own = detections[name];
  const known = findings.known[name] ?? [];
  const strange = known.flatMap(Object.keys).find((column) => !form!.key.includes(column));
  if (strange !== undefined)
    throw new UsageError(
      `findings.known.${name}: ${strange} is not a key column; the key is ${form!.key.join(", ")}`,
    );
  const parameters = readParameters(report, { detections, findings });
  const severity = own?.severity ?? form!.severity;
  const decisive = [normaliseSql(report.sql), parameters, known, form];
  const fingerprint = createHash("sha256").update(JSON.stringify(decisive)).digest("hex");
  return { name, report, form: form!, severity, known, parameters, fingerprint };
}

const hourMs = 3_600_000;

// The parameters that many detections share come from `findings`, those of one from `detections`, the rest are defaults.
function readParameters(
  report: Report,
  { detections, findings }: DetectionSettings,
): Question["values"] {
  const { internal_domains: domains, sensitive_columns: columns } = findings;
  const shared: Record<string, string | undefined> = {
    learning_hours: String(Math.ceil(findings.learning / hourMs)),
    internal_domains: domains?.join(","),
    sensitive_columns: columns?.join(","),
  };
  const declared = new Set(report.params.map(({ name }) => name));
  const given = new Map<string, string>();
  for (const [name, text] of Object.entries(shared))
    if (text !== undefined && declared.has(name)) given.set(name, text);
  for (const [name, value] of Object.entries(detections[report.name]?.parameters ?? {})) {
    if (!declared.has(name) || name === "since" || name === "until")
      throw new UsageError(
        `detections.${report.name}.parameters: ${name} is not a parameter of the detection`,
      );
    given.set(name, String(value));
  }
  const {
    since: _since,
    until: _until,
    ...parameters
  } = buildQuestion(report, given, hourMs).values;
  return parameters;
}
