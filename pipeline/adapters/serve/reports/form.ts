import { getMessage, UsageError } from "../../../base/errors.ts";
import { bindSource, queryFacts } from "../../../base/sql/facts.ts";
import { escapeField, html, type Markup } from "../../../base/html/markup.ts";
import type { Report } from "../../../base/report/find.ts";
import type { Param } from "../../../base/report/header.ts";
import { checkRange } from "../../../base/report/params.ts";
import { readValue, refuseOutside } from "../../../base/report/values.ts";
import { ask } from "../ask.ts";
import type { Query } from "../search.ts";
import type { Visit } from "../visit.ts";

/** Entered values of a report, and their faults, by parameter. */
export type Entered = {
  readonly given: Query;
  readonly faults: ReadonlyMap<string, string>;
};

/** Reads the parameters of a report from the address; the range is that of the page. */
export function readEntered({ range, params, site }: Visit, report: Report): Entered {
  const nowMs = site.world.now();
  const chosen: Query = { ...range, ...Object.fromEntries(params) };
  const given = Object.fromEntries(
    report.params.flatMap(({ name }) => (chosen[name] ? [[name, chosen[name]] as const] : [])),
  );
  const faults = new Map(
    report.params.flatMap((param) => {
      const fault = findFault(report, param, given[param.name], nowMs);
      return fault === undefined ? [] : [[param.name, fault] as const];
    }),
  );
  const fault = faults.size > 0 ? undefined : findRangeFault(report, given, nowMs);
  return { given, faults: fault === undefined ? faults : new Map([["since", fault]]) };
}

function findFault(
  report: Report,
  param: Param,
  text: string | undefined,
  nowMs: number,
): string | undefined {
  const { name, type, defaultText } = param;
  if (text === undefined) {
    const what = addArticle(titleParam(name).toLowerCase());
    return defaultText === undefined ? `Enter ${what} to run this report.` : undefined;
  }
  try {
    refuseOutside(report, name, readValue(type, text, nowMs));
    return undefined;
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    if (type !== "timestamp") return `${getMessage(error)}.`;
    return `${JSON.stringify(text)} is not a time. Try 7d, yesterday or 2026-11-20.`;
  }
}

function findRangeFault({ params }: Report, given: Query, nowMs: number): string | undefined {
  const values = params.flatMap(({ name, type, defaultText }) => {
    const text = given[name] ?? defaultText ?? undefined;
    const isEnd = name === "since" || name === "until";
    return isEnd && text !== undefined ? [[name, readValue(type, text, nowMs)] as const] : [];
  });
  return checkRange(Object.fromEntries(values));
}

const titles: Readonly<Record<string, string>> = {
  since: "From",
  until: "Until",
  user: "Person",
  on: "On",
  timezone: "Time zone",
  least: "At least",
};

export function titleParam(name: string): string {
  const text = titles[name] ?? name.replaceAll("_", " ");
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`;
}

/** Puts the article before the label of a parameter; a plural has none. */
export function addArticle(what: string): string {
  if (what.endsWith("s") && !what.endsWith("ss")) return what;
  return `${/^[aeiou]/.test(what) ? "an" : "a"} ${what}`;
}

/** Values that a field suggests, by the names of parameters. */
export type Suggestions = ReadonlyMap<string, readonly string[]>;

const suggested = ["user", "database", "timezone"];

export async function readSuggestions(
  { site, gone }: Visit,
  { params }: Report,
): Promise<Suggestions> {
  const names = suggested.filter((name) => params.some((param) => param.name === name));
  const found = new Map<string, readonly string[]>();
  if (names.length === 0) return found;
  await ask(site, gone, async (connection) => {
    for (const name of names) {
      const path = `queries/pages/suggestions.sql#${name}`;
      const rows = await queryFacts(connection, path, bindSource(site.settings.flags.source));
      found.set(
        name,
        rows.map(({ value }) => String(value)),
      );
    }
  });
  return found;
}

const mostChoices = 40;

export function hasRange({ params }: Report): boolean {
  return ["since", "until"].every((end) => params.some(({ name }) => name === end));
}

/**
 * The form of a report: choices where values are few, suggestions where they are many. The page has the range; its
 * fields come for a wrong one.
 */
export function writeForm(
  report: Report,
  { given, faults }: Entered,
  suggestions: Suggestions,
): Markup | null {
  const isWrong = faults.has("since") || faults.has("until");
  const isElsewhere = ({ name }: Param): boolean =>
    (name === "since" || name === "until") && hasRange(report) && !isWrong;
  const shown = report.params.filter((param) => !isElsewhere(param));
  if (shown.length === 0) return null;
  const range = report.params
    .filter(isElsewhere)
    .map(
      ({ name }) =>
        html`<input type="hidden" name="${name}" value="${escapeField(given[name] ?? "")}" />`,
    );
  const fields = shown.map((param) => {
    const { name, defaultText } = param;
    const value = given[name] ?? "";
    const fault = faults.get(name);
    const described =
      fault === undefined ? null : html` aria-invalid="true" aria-describedby="fault-${name}"`;
    const control = writeControl(param, value, suggestions.get(name) ?? [], described);
    const note =
      fault === undefined ? null : html`<span class="fault" id="fault-${name}">${fault}</span>`;
    const need = defaultText === undefined ? " *" : "";
    return html`<label class="field">${titleParam(name)}${need}${control}${note}</label>`;
  });
  return html`<form class="card" action="/reports/${report.name}">
    <div class="bd form">${range}${fields}<button class="btn pri">Run</button></div>
  </form>`;
}

function writeControl(
  param: Param,
  value: string,
  choices: readonly string[],
  described: Markup | null,
): Markup {
  const { name, type, defaultText } = param;
  const id = `field-${name}`;
  const few = type === "boolean" ? ["true", "false"] : choices.length <= mostChoices ? choices : [];
  const isKnown = value === "" || few.includes(value);
  if (
    few.length > 0 &&
    isKnown &&
    (defaultText !== undefined || value !== "" || type === "boolean")
  ) {
    const none = html`<option value="">${defaultText ?? "any"}</option>`;
    const options = few.map(
      (each) => html`<option${each === value ? html` selected` : null}>${each}</option>`,
    );
    return html`<select name="${name}" id="${id}" ${described}>
      ${none}${options}
    </select>`;
  }
  const hint = defaultText ?? (defaultText === null ? "any" : "");
  const list = choices.length === 0 ? null : html` list="list-${name}"`;
  return html`<input
      name="${name}"
      id="${id}"
      value="${escapeField(value)}"
      placeholder="${hint}"
      autocomplete="off"
      spellcheck="false"
      ${list}${described}
    />
    ${choices.length === 0 ? null : html`<datalist id="list-${name}">${choices.map((each) => html`<option value="${each}"></option>`)}</datalist>`}`;
}

/** The faults of a form above it, each leading to its field; null without any that was entered. */
export function writeFaults({ given, faults }: Entered): Markup | null {
  const wrong = [...faults].filter(([name]) => given[name] !== undefined);
  if (wrong.length === 0) return null;
  return html`<div class="problem" role="alert">
    ${wrong.map(([name, fault]) => html`<p><a href="#field-${name}">${titleParam(name)}</a>: ${fault}</p>`)}
  </div>`;
}
