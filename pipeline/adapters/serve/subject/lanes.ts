import type { Paint } from "../../../answers/chart/chart.ts";
import { chooseStep, type Lane, type Lanes } from "../../../answers/chart/lane.ts";
import { formatWeekday } from "../../../answers/chart/ticks.ts";
import {
  type Lane as LaneName,
  type Slot,
  sumSlots,
} from "../../../answers/investigate/activity.ts";
import type { GivenRights, StrongGrant } from "../../../answers/investigate/person-rights.ts";
import type { Range, SubjectFinding } from "../../../answers/investigate/subject.ts";
import { countText, formatBytes, formatCount } from "../../../base/terminal/amounts.ts";
import { formatClock } from "../../../base/time/text.ts";
import { toWallMs } from "../../../base/time/wall.ts";

export type LaneFacts = {
  readonly range: Range;
  readonly zone: string;
  readonly slots: readonly Slot[];
  readonly findings: readonly SubjectFinding[];
  /** Rights that a person gave and took; undefined for another subject. */
  readonly given?: readonly GivenRights[];
  readonly grants?: readonly StrongGrant[];
  /** The events of a stretch of time. */
  readonly getHref: (
    sinceMs: number,
    untilMs: number,
    more: Readonly<Record<string, string>>,
  ) => string;
};

const secondMs = 1000;
const dayMs = 86_400_000;
// Dots of more events lie over each other.
const mostOfDots = 400;

/** Builds the timeline of a subject: findings, denials, sign-ins, rights, settings, queries, downloads and their sum. */
export function buildLanes(facts: LaneFacts): Lanes {
  const { range, zone, given } = facts;
  const [startMs, endMs] = [range.sinceMs, range.untilMs].map((ms) => toWallMs(zone, ms));
  const rights =
    given === undefined
      ? buildDots(facts, "right", "Rights and policies")
      : buildRights(facts, given);
  return {
    startMs: startMs!,
    endMs: endMs!,
    note: zone,
    legend: [
      ...((facts.grants ?? []).length === 0
        ? []
        : ["■ manage, administrator, or to the own account"]),
      ...(facts.slots.some(
        ({ isFirst, lane }) => isFirst && (given === undefined || lane !== "right"),
      )
        ? ["ring: new address"]
        : []),
    ].join(" · "),
    lanes: [
      ...(facts.findings.length === 0 ? [] : [buildFindings(facts)]),
      buildDots(facts, "denial", "Denials"),
      buildDots(facts, "sign_in", "Sign-ins"),
      rights,
      buildDots(facts, "setting", "Users, keys, settings"),
      buildDots(facts, "query", "Queries"),
      buildDots(facts, "download", "Downloads"),
      buildSum(facts),
      ...(given === undefined ? [buildDots(facts, "other", "Other events")] : []),
    ],
  };
}

const paints: Readonly<Record<LaneName, Paint>> = {
  denial: "deny",
  sign_in: "c1",
  right: "c2",
  setting: "c5",
  query: "c3",
  download: "c1",
  other: "c6",
};

type Step = { readonly startMs: number; readonly endMs: number; readonly slots: readonly Slot[] };

// Clock steps in the zone: events within one step share a mark.
function listSteps({ zone }: LaneFacts, slots: readonly Slot[], stepMs: number): Step[] {
  const groups = Map.groupBy(slots, ({ slotMs }) => Math.floor(toWallMs(zone, slotMs) / stepMs));
  return [...groups.values()].map((own) => {
    const wallMs = Math.floor(toWallMs(zone, own[0]!.slotMs) / stepMs) * stepMs;
    const startMs = own[0]!.slotMs - (toWallMs(zone, own[0]!.slotMs) - wallMs);
    return { startMs, endMs: startMs + stepMs, slots: own };
  });
}

function describeSpan({ zone }: LaneFacts, startMs: number, endMs: number): string {
  const [from, to] = [toWallMs(zone, startMs), toWallMs(zone, endMs)];
  const stepMs = endMs - startMs;
  if (stepMs <= secondMs) return `${formatWeekday(from)} ${formatClock(from, "second")}`;
  if (stepMs >= 86_400_000) return formatWeekday(from);
  return `${formatWeekday(from)} ${formatClock(from)}–${formatClock(to)}`;
}

function describeAbsence({ range }: LaneFacts): string {
  const days = Math.round((range.untilMs - range.sinceMs) / 86_400_000);
  return days < 2 ? "none" : `none in ${formatCount(days, "day")}`;
}

const countBytes = (slot: Slot): number => slot.bytes ?? 0;
const countEvents = (slot: Slot): number => slot.events;

function buildDots(facts: LaneFacts, lane: LaneName, name: string): Lane {
  const own = facts.slots.filter((slot) => slot.lane === lane);
  const [events, bytes] = [sumSlots(own, countEvents), sumSlots(own, countBytes)];
  const isSized = lane === "download" && bytes > 0;
  const ownStepMs = chooseStep(facts.range.sinceMs, facts.range.untilMs);
  const isBusy = ownStepMs !== undefined && !isSized && events > mostOfDots;
  const stepMs = isBusy ? dayMs : (ownStepMs ?? secondMs);
  const dots = listSteps(facts, own, stepMs).map((step) => {
    const [count, size] = [sumSlots(step.slots, countEvents), sumSlots(step.slots, countBytes)];
    return {
      at: toWallMs(facts.zone, isBusy ? step.startMs : (step.startMs + step.endMs) / 2),
      paint: choosePaint(lane, step.slots),
      amount: isSized ? size : count,
      isFirst: step.slots.some(({ isFirst }) => isFirst),
      lines: [
        describeSpan(facts, step.startMs, step.endMs),
        `${formatCount(count, lane === "denial" ? "denial" : "event")}${isSized ? ` · ${formatBytes(size)}` : ""}`,
        ...(step.slots.some(({ isFirst }) => isFirst) ? ["from a new address"] : []),
      ],
      href: facts.getHref(step.startMs, step.endMs, filters[lane] ?? {}),
    };
  });
  const note = isSized
    ? `${countText(events)} · ${formatBytes(bytes)}, dot area is size`
    : countText(events);
  if (isBusy) return { kind: "bars", name, note: `${note}, per day`, stepMs, bars: dots };
  return {
    kind: "dots",
    name,
    note: events === 0 ? describeAbsence(facts) : note,
    unit: isSized ? "bytes" : "count",
    dots,
  };
}

const filters: Partial<Record<LaneName, Readonly<Record<string, string>>>> = {
  download: { event: "job_result_download" },
};

function choosePaint(lane: LaneName, slots: readonly Slot[]): Paint {
  if (lane !== "denial") return paints[lane];
  return slots.every(({ outcome }) => outcome === "failed") ? "fail" : "deny";
}

function buildFindings({ findings, zone, range }: LaneFacts): Lane {
  const shown = findings.filter(
    ({ firstMs, lastMs }) => lastMs >= range.sinceMs && firstMs < range.untilMs,
  );
  const marks = shown.map(({ id, severity, title, message, firstMs }, i) => ({
    at: toWallMs(zone, firstMs),
    paint: findingPaints[severity] ?? ("sl" as const),
    shape: severity === "low" || severity === "info" ? ("disc" as const) : ("square" as const),
    lines: [message],
    ...(i < labelledFindings ? { label: `${id.slice(0, 6)} ${title}` } : {}),
    href: `/findings/${id}`,
  }));
  return { kind: "marks", name: "Findings", note: countText(shown.length), marks };
}

// More would lie over each other.
const labelledFindings = 5;

const findingPaints: Readonly<Record<string, Paint>> = {
  critical: "crf",
  high: "hgf",
  medium: "medf",
  low: "lowf",
};

// Of a short range each strong grant by itself; else what was given and taken in each step.
function buildRights(facts: LaneFacts, given: readonly GivenRights[]): Lane {
  const count = (change: GivenRights["change"]): number =>
    given.reduce((total, each) => total + (each.change === change ? each.changes : 0), 0);
  const [granted, revoked] = [count("granted"), count("revoked")];
  const note =
    granted + revoked === 0
      ? describeAbsence(facts)
      : `${countText(granted)} granted, ${countText(revoked)} revoked`;
  const stepMs = chooseStep(facts.range.sinceMs, facts.range.untilMs) ?? 15 * 60 * secondMs;
  const groups = Map.groupBy(given, ({ slotMs }) =>
    Math.floor(toWallMs(facts.zone, slotMs) / stepMs),
  );
  const changes = [...groups].map(([step, own]) => {
    const sumOf = (change: GivenRights["change"]): number =>
      own.reduce((total, each) => total + (each.change === change ? each.changes : 0), 0);
    const [up, down] = [sumOf("granted"), sumOf("revoked")];
    const startMs = own[0]!.slotMs - (toWallMs(facts.zone, own[0]!.slotMs) - step * stepMs);
    const lines = [
      describeSpan(facts, startMs, startMs + stepMs),
      `${countText(up)} granted, ${countText(down)} revoked`,
    ];
    const href = facts.getHref(startMs, startMs + stepMs, {});
    return { at: step * stepMs, up, down, lines, href };
  });
  const marks = (facts.grants ?? []).map((grant) => ({
    at: toWallMs(facts.zone, grant.timeMs),
    paint: "hgf" as const,
    lines: [describeGrant(grant)],
    href: `/events/${grant.eventKey}`,
  }));
  const name = "Rights and policies";
  if (chooseStep(facts.range.sinceMs, facts.range.untilMs) === undefined && marks.length > 0)
    return {
      kind: "marks",
      name,
      note,
      marks: marks.map((mark) => ({ ...mark, label: `${formatClock(mark.at)} ${mark.lines[0]!}` })),
    };
  return { kind: "changes", name, note, stepMs, changes, marks };
}

function describeGrant({ operation, object, receiver, isOwn }: StrongGrant): string {
  if (operation === "member") return `added the own account to ${object ?? "a policy"}`;
  const on = operation === "manage" ? ` on ${object ?? "every database"}` : "";
  return `gave ${operation.replaceAll("_", " ")}${on} to ${isOwn ? "the own account" : (receiver ?? "unknown")}`;
}

function buildSum({ slots, zone }: LaneFacts): Lane {
  const own = slots.filter((slot) => countBytes(slot) > 0);
  const steps = own.map((slot) => ({ at: toWallMs(zone, slot.slotMs), amount: slot.bytes ?? 0 }));
  const note = steps.length === 0 ? "nothing" : "running sum";
  return { kind: "sum", name: "Downloaded in all", note, unit: "bytes", steps };
}
