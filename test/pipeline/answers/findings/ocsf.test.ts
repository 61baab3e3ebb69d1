import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { toOcsf, type OcsfFinding } from "../../../../pipeline/answers/findings/ocsf.ts";
import { severities } from "../../../../schemas/detections.ts";

// Attributes, types and values of class 2004 and of the objects that it uses, from the schema of release 1.8.0 as
// `python -m ocsf.compile` of the PyPI package ocsf-lib 0.10.4 compiles it; profiles are left out.
type Attribute = {
  readonly type: string;
  readonly is_array?: true;
  readonly required?: true;
  readonly enum?: readonly number[];
};
type Attributes = Readonly<Record<string, Attribute>>;
const schema = JSON.parse(readFileSync(new URL("ocsf-1.8.0.json", import.meta.url), "utf8")) as {
  readonly class: Attributes;
  readonly objects: Readonly<Record<string, Attributes>>;
};

const example: OcsfFinding = {
  findingId: "34752f830f44f05e",
  detection: "repeated_denials",
  severity: "medium",
  title: "Repeated denials",
  message: "x@example.com was denied 48 times within an hour",
  source: "default",
  subjectKind: "user",
  subject: "x@example.com",
  key: '{"source":"default","user_id":"17","account":null}',
  firstMs: 1,
  lastMs: 2,
  raisedMs: 3,
  hits: 24,
  state: "open",
  isSuppressed: false,
  attack: "T1087.004, T1530",
  runbook: "Check.",
};

function faults(value: unknown, attributes: Attributes, path: string): string[] {
  const given = value as Record<string, unknown>;
  const missing = Object.entries(attributes)
    .filter(([name, { required }]) => required && given[name] === undefined)
    .map(([name]) => `${path}.${name} is missing`);
  const wrong = Object.entries(given).flatMap(([name, each]) => {
    const attribute = attributes[name];
    if (attribute === undefined) return [`${path}.${name} is unknown`];
    if (attribute.is_array !== Array.isArray(each) && (attribute.is_array || Array.isArray(each)))
      return [`${path}.${name} is ${attribute.is_array ? "no array" : "an array"}`];
    return [each].flat().flatMap((one) => faultsOfValue(one, attribute, `${path}.${name}`));
  });
  return [...missing, ...wrong];
}

function faultsOfValue(value: unknown, { type, enum: allowed }: Attribute, path: string): string[] {
  if (allowed !== undefined && !allowed.includes(value as number)) return [`${path} is no member`];
  const object = schema.objects[type];
  if (object !== undefined) return faults(value, object, path);
  if (type === "json_t") return [];
  const isNumber = ["integer_t", "long_t", "timestamp_t"].includes(type);
  const expected = isNumber ? "number" : type === "boolean_t" ? "boolean" : "string";
  return typeof value === expected ? [] : [`${path} is a ${typeof value}, not ${type}`];
}

const variants = severities.flatMap((severity) =>
  ["open", "acknowledged", "closed", "withdrawn"].flatMap((state) =>
    ["user", "address", "policy", "event", "host", "image", "workflow", "source"].map(
      (subjectKind) => ({ ...example, severity, state, subjectKind }),
    ),
  ),
);

test.each([
  ...variants,
  { ...example, isSuppressed: true },
  { ...example, attack: "", runbook: null },
])("a finding is an event of the schema: $severity, $state, $subjectKind", (finding) => {
  expect(faults(toOcsf(finding), schema.class, "finding")).toEqual([]);
});

test("the schema reports a missing, an unknown and a mistyped attribute", () => {
  const { time: _, ...event } = toOcsf(example) as Record<string, unknown>;
  const wrong = { ...event, severity_id: 7, count: "24", colour: "red" };
  expect(faults(wrong, schema.class, "finding").toSorted()).toEqual([
    "finding.colour is unknown",
    "finding.count is a string, not integer_t",
    "finding.severity_id is no member",
    "finding.time is missing",
  ]);
});
