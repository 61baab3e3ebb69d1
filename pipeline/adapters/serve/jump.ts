import { isIP } from "node:net";
import { VARCHAR } from "@duckdb/node-api";
import { html } from "../../base/html/markup.ts";
import type { Report } from "../../base/report/find.ts";
import { bindSource, type Facts, queryFacts } from "../../base/sql/facts.ts";
import { ask } from "./ask.ts";
import { writePage } from "./frame.ts";
import { buildSubjectUrl } from "./leads.ts";
import type { Visit } from "./visit.ts";

type Target = { readonly name: string; readonly kind: string; readonly href: string };

const mostCharacters = 200;

/** Where a text of the jump field leads: an address, or a page with what it may mean. */
export async function jump(
  visit: Visit,
): Promise<{ readonly to: string } | { readonly page: string }> {
  const text = (visit.params.get("to") ?? "").trim().slice(0, mostCharacters);
  if (text === "") return { to: "/" };
  const certain = findCertain(visit, text);
  if (certain !== undefined) return { to: certain };
  const targets = await findTargets(visit, text);
  const [only] = targets;
  if (only !== undefined && targets.length === 1) return { to: only.href };
  return { page: writeTargets(visit, text, targets) };
}

// What the form of a text alone decides.
function findCertain({ site }: Visit, text: string): string | undefined {
  if (/^[0-9a-f]{32}$/i.test(text)) return `/events/${text.toLowerCase()}`;
  if (isIP(text) !== 0) return buildSubjectUrl("address", text, {});
  if (/^[^\s@]+@[^\s@]+$/.test(text)) return buildSubjectUrl("user", text.toLowerCase(), {});
  const wanted = text.toLowerCase();
  const report = site
    .found()
    .reports.find(({ name, title }) => name === wanted || title.toLowerCase() === wanted);
  return report === undefined ? undefined : `/reports/${report.name}`;
}

async function findTargets({ site, gone }: Visit, text: string): Promise<Target[]> {
  const read = (name: string, typed: string, isMeant: boolean): Promise<Facts[]> => {
    if (!isMeant) return Promise.resolve([]);
    const values = {
      ...bindSource(site.settings.flags.source),
      text: { type: VARCHAR, value: typed },
    };
    return ask(site, gone, (connection) =>
      queryFacts(connection, `queries/pages/jump.sql#${name}`, values),
    );
  };
  const id = text.replace(/^F-/i, "");
  const findings = await read("findings", id, /^[0-9a-f]{4,16}$/i.test(id));
  const jobs = await read("jobs", text, /^\d{1,19}$/.test(text));
  const people = await read("people", text, text.length >= 2);
  return [
    ...findings.map(({ finding_id: found, title }): Target => ({
      name: `${String(found).slice(0, 6)} ${String(title)}`,
      kind: "finding",
      href: `/findings/${String(found)}`,
    })),
    ...jobs.map(({ job_id: job }): Target => ({
      name: String(job),
      kind: "job",
      href: buildSubjectUrl("job", String(job), {}),
    })),
    ...people.map(({ email }): Target => ({
      name: String(email),
      kind: "person",
      href: buildSubjectUrl("user", String(email), {}),
    })),
    ...findReports(site.found().reports, text),
  ];
}

function findReports(reports: readonly Report[], text: string): Target[] {
  const words = text.toLowerCase().split(/\s+/);
  const isMeant = ({ name, title }: Report): boolean =>
    words.every((word) => `${name} ${title}`.toLowerCase().includes(word));
  return reports
    .filter(isMeant)
    .map(({ name, title }) => ({ name: title, kind: "report", href: `/reports/${name}` }));
}

function writeTargets(visit: Visit, text: string, targets: readonly Target[]): string {
  const search = `/events?${new URLSearchParams({ text }).toString()}`;
  const list = targets.map(
    ({ name, kind, href }) =>
      html`<a class="stat" href="${href}"
        ><span>${name}</span><span class="muted">${kind}</span></a
      >`,
  );
  const title = targets.length === 0 ? `Nothing is called “${text}”` : `Go to “${text}”`;
  return writePage(
    { visit, page: undefined, title },
    html`${targets.length === 0 ? null : html`<div class="card">${list}</div>`}
      <p class="mt12"><a href="${search}">Search events for this text</a></p>`,
  );
}
