import { exitCode, getMessage } from "../../base/errors.ts";
import { type Client, openClient } from "../../core/source/client.ts";
import { chooseSource, type NamedSource, type Settings } from "../../base/home/settings.ts";
import { readWindow } from "../../core/source/audits.ts";
import { mostSkewMs } from "../../core/source/clock.ts";
import { readUsers } from "../../core/source/read-users.ts";
import type { World } from "../../base/world.ts";
import {
  formatAge,
  findPaging,
  makeImpatient,
  formatProposals,
  buildCadence,
  formatCadence,
  formatSettings,
  formatTime,
  listChangedAudits,
} from "./fitting.ts";
import { formatDuration, formatCount } from "../../base/terminal/amounts.ts";
import { newFailed, newFailedWith, type Finding, newPassed, warn } from "./finding.ts";
import type { Interval } from "../../base/time/periods.ts";
import { formatCommand } from "../../base/command-line.ts";
import type { Findings } from "../../core/source/discovery/investigate.ts";
import type { ConfigFile } from "../../../schemas/config.ts";
import { type Cadence, checkFit } from "../../core/source/fit.ts";

const harmlessSkewMs = 60_000;
// The Date header knows whole seconds, and the answer takes its time.
const dateStepMs = 2000;

/** Lists the sources to check: the named one, else all configured ones. */
export function listSourceNames({ config, flags }: Settings, world: World): string[] {
  const wanted = flags.source ?? world.env["AUDITLAKE_SOURCE"];
  if (wanted !== undefined) return [wanted];
  const names = Object.keys(config.sources);
  return names.length > 0 ? names : ["default"];
}

/** Checks one source: address and key, whether the service takes the key, its clock, its user list. */
export async function* checkSource(
  name: string,
  settings: Settings,
  world: World,
): AsyncGenerator<Finding> {
  const named = { ...settings, flags: { ...settings.flags, source: name } };
  let source: NamedSource;
  try {
    source = makeImpatient(chooseSource(named, world));
    if (source.base_url === undefined && Object.keys(settings.config.sources).length === 0)
      return yield warn(
        "source",
        "none is configured; set AUDITLAKE_BASE_URL and AUDITLAKE_API_KEY, or sources in the configuration (import works without)",
      );
    await using client = openClient(settings, source, world);
    yield newPassed(
      "source",
      `${name}: ${source.base_url}, the key from ${source.api_key_file === undefined ? source.api_key_env : `file ${source.api_key_file}`}`,
    );
    yield checkSecondReads(source, settings.config, world.now());
    yield* checkAnswers(client, source, world);
  } catch (error) {
    yield newFailedWith("source", error, `${name}: `);
  }
}

async function* checkAnswers(
  client: Client,
  source: NamedSource,
  world: World,
): AsyncGenerator<Finding> {
  try {
    const { value: page } = await readWindow(client, source, getLastSecond(world.now())).next();
    yield newPassed(
      "reachable",
      `${source.name}: GET ${source.audits.path} answers and accepts the key`,
    );
    yield checkClock(source.name, page?.serverTimeMs, world.now());
  } catch (error) {
    yield newFailedWith("reachable", error, `${source.name}: `);
    return;
  }
  yield await checkPaging(client, source, world);
  yield await checkUsers(client, source);
}

// A range so short that it has hardly any events, and so recent that every service has it. Its first page is enough.
function getLastSecond(nowMs: number): Interval {
  const endMs = Math.floor(nowMs / 1000) * 1000;
  return { startMs: endMs - 1000, endMs };
}

function checkClock(name: string, serverMs: number | undefined, nowMs: number): Finding {
  if (serverMs === undefined)
    return newPassed(
      "clock",
      `${name}: the service sends no Date header; auditlake uses this machine's clock`,
    );
  const skewMs = serverMs - nowMs;
  if (Math.abs(skewMs) < dateStepMs)
    return newPassed("clock", `${name}: the service's clock agrees`);
  const size = formatDuration(Math.abs(skewMs) / 1000);
  const text = `${name}: the service's clock is ${size} ${skewMs < 0 ? "behind" : "ahead of"} this one`;
  if (Math.abs(skewMs) <= harmlessSkewMs) return newPassed("clock", text);
  const advice = "set this machine's clock by NTP, or contact the operator of the service";
  if (Math.abs(skewMs) <= mostSkewMs) return warn("clock", `${text}; ${advice}`);
  return newFailed("clock", `${text}, so no scheduled run would store anything; ${advice}`);
}

// Without the directory the events are loaded all the same.
async function checkUsers(client: Client, source: NamedSource): Promise<Finding> {
  try {
    const { users, against } = await readUsers(client, source);
    const listed = `${source.name}: ${formatCount(users.length, "user")} listed`;
    return against.length === 0
      ? newPassed("users", listed)
      : warn(
          "users",
          `${listed}, and ${against.join(", ")} indicates that the list is incomplete; set sources.${source.name}.users.paging`,
        );
  } catch (error) {
    const found = newFailedWith("users", error, `${source.name}: `);
    if (found.exitCode === exitCode.refused) return found;
    return warn("users", `${source.name}: ${getMessage(error)}`);
  }
}

/** Whether the configuration in force reads the log whole, and which one would. */
async function checkPaging(client: Client, source: NamedSource, world: World): Promise<Finding> {
  try {
    const found = await findPaging(client, source, true, world);
    const finding = toFinding(source, found);
    // A second line would be hidden behind a fault of the paging, whose setting has the path, too.
    return finding.level === "ok" && found.idAt !== undefined
      ? warn("paging", `${finding.text}; ${formatIdAdvice(source, found.idAt)}`)
      : finding;
  } catch (error) {
    const found = newFailedWith("paging", error, `${source.name}: `);
    return found.exitCode === exitCode.refused ? found : warn("paging", found.text);
  }
}

function formatIdAdvice({ name }: NamedSource, idAt: string): string {
  return `its records have no id, and ${idAt} is different in each: if it names the record, set sources.${name}.audits.id_at to ${JSON.stringify(idAt)}, then run ${formatCommand("rebuild")}`;
}

function toFinding({ name }: NamedSource, found: Findings): Finding {
  const { audits, inForce, text, requests } = found;
  const asked = `(${formatCount(requests, "request")})`;
  const own = "the configuration in force";
  if (inForce?.is === "whole")
    return newPassed("paging", `${name}: ${own} reads all records: ${text} ${asked}`);
  const broken =
    inForce?.is === "wrong" ? `${own} does not read all records: ${inForce.why}` : undefined;
  if (audits !== undefined) {
    const right = `set sources.${name}.audits to ${JSON.stringify(listChangedAudits(audits))}, which does: ${text} ${asked}`;
    return broken === undefined
      ? warn("paging", `${name}: nothing shows that ${own} reads all records; ${right}`)
      : newFailed("paging", `${name}: ${broken}; ${right}`);
  }
  const unknown = `${text} ${asked}; docs/paging.md shows each kind`;
  if (broken !== undefined)
    return newFailed(
      "paging",
      `${name}: ${broken}; no working configuration was found: ${unknown}`,
    );
  if (found.hasTooLittle)
    return newPassed("paging", `${name}: not enough data to detect it yet: ${text} ${asked}`);
  return warn("paging", `${name}: it is unknown whether ${own} reads all records: ${unknown}`);
}

const check = "second_read";
const dayMs = 86_400_000;

/** Whether each window is read twice before the service forgets its beginning, by what the configuration says. */
export function checkSecondReads(source: NamedSource, config: ConfigFile, nowMs: number): Finding {
  const { name, retention } = source;
  const known = buildCadence(name, source, config, nowMs);
  // Without a schedule here, it is the scheduled run.
  const reads: Cadence = { ...known, runs: known.runs ?? { everyMs: dayMs } };
  const { fits } = checkFit(reads);
  const where =
    known.runs === undefined ? " (no scheduled job reads it; assumed: one run a day)" : "";
  const facts = `${name}: ${formatCadence(reads)}${where}: ${formatAge(reads)}`;
  if (fits && retention === undefined)
    return newPassed(
      check,
      `${facts}; the retention of the service is unknown: set sources.${name}.retention`,
    );
  if (fits) return newPassed(check, facts);
  const proposals = formatProposals(reads, formatSettings);
  const advice =
    proposals === undefined
      ? "no window and no number of runs would work; lower grace_period"
      : `use ${proposals}`;
  if (retention === undefined)
    return warn(
      check,
      `${facts}, so windows leave that range before they are final; ${advice}, or a longer lookback; set sources.${name}.retention to the retention of the service`,
    );
  if (known.runs !== undefined || !isPossible(reads))
    return newFailed(check, `${facts}: events are lost; ${advice}`);
  return warn(
    check,
    `${facts}: events are lost unless it runs every ${formatTime(computeMostApartMs(reads))} or more often; ${advice}`,
  );
}

function isPossible(reads: Cadence): boolean {
  return computeMostApartMs(reads) >= 60_000;
}

function computeMostApartMs({ retentionMs = 0, windowMs, graceMs, confirm }: Cadence): number {
  return Math.floor((retentionMs - windowMs - graceMs) / (confirm ? 1 : 2) / 60_000) * 60_000;
}
