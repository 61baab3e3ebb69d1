import { exitCode, messageOf } from "../../base/errors.ts";
import { type Client, clientOf } from "../../core/source/client.ts";
import { chooseSource, type NamedSource, type Settings } from "../../base/home/settings.ts";
import { readWindow } from "../../core/source/audits.ts";
import { mostSkewMs } from "../../core/source/clock.ts";
import { readUsers } from "../../core/source/read-users.ts";
import type { World } from "../../base/world.ts";
import { impatient } from "./paging-found.ts";
import { durationText, plural } from "../../base/terminal/amounts.ts";
import { fail, failedWith, type Finding, ok, warn } from "./finding.ts";
import { pagingFinding } from "./paging.ts";
import { secondReadFinding } from "./second-read.ts";
import type { Interval } from "../../base/time/interval.ts";

const harmlessSkewMs = 60_000;
// The Date header knows whole seconds, and the answer takes its time.
const dateStepMs = 2000;

/** The sources to look at: the one that was named, else all that are configured. */
export function sourceNames({ config, flags }: Settings, world: World): string[] {
  const wanted = flags.source ?? world.env["AUDITLAKE_SOURCE"];
  if (wanted !== undefined) return [wanted];
  const names = Object.keys(config.sources);
  return names.length > 0 ? names : ["default"];
}

/** Checks one source: address and key, whether the service takes the key, its clock, its user list. */
export async function* sourceFindings(
  name: string,
  settings: Settings,
  world: World,
): AsyncGenerator<Finding> {
  const named = { ...settings, flags: { ...settings.flags, source: name } };
  let source: NamedSource;
  try {
    source = impatient(chooseSource(named, world));
    if (source.base_url === undefined && Object.keys(settings.config.sources).length === 0)
      return yield noSource();
    await using client = clientOf(settings, source, world);
    yield ok("source", `${name}: ${source.base_url}, the key from ${keyPlace(source)}`);
    yield secondReadFinding(source, settings.config, world.now());
    yield* answers(client, source, world);
  } catch (error) {
    yield failedWith("source", error, `${name}: `);
  }
}

function noSource(): Finding {
  return warn(
    "source",
    "none is configured; set AUDITLAKE_BASE_URL and AUDITLAKE_API_KEY, or sources in the configuration (import works without)",
  );
}

function keyPlace({ api_key_file: file, api_key_env: env }: NamedSource): string {
  return file === undefined ? env : `file ${file}`;
}

async function* answers(
  client: Client,
  source: NamedSource,
  world: World,
): AsyncGenerator<Finding> {
  try {
    const { value: page } = await readWindow(client, source, lastSecond(world.now())).next();
    yield ok("reachable", `${source.name}: GET ${source.audits.path} answers and takes the key`);
    yield clockFinding(source.name, page?.serverTimeMs, world.now());
  } catch (error) {
    yield failedWith("reachable", error, `${source.name}: `);
    return;
  }
  yield await pagingFinding(client, source, world);
  yield await usersFinding(client, source);
}

// So short that hardly anything lies in it, so recent that every service still has it. Its first page tells
// enough.
function lastSecond(nowMs: number): Interval {
  const endMs = Math.floor(nowMs / 1000) * 1000;
  return { startMs: endMs - 1000, endMs };
}

function clockFinding(name: string, serverMs: number | undefined, nowMs: number): Finding {
  if (serverMs === undefined)
    return ok("clock", `${name}: the service sends no Date; this machine's clock decides`);
  const skewMs = serverMs - nowMs;
  if (Math.abs(skewMs) < dateStepMs) return ok("clock", `${name}: the service's clock agrees`);
  const size = durationText(Math.abs(skewMs) / 1000);
  const text = `${name}: the service's clock is ${size} ${skewMs < 0 ? "behind" : "ahead of"} this one`;
  if (Math.abs(skewMs) <= harmlessSkewMs) return ok("clock", text);
  const advice = "set this machine's clock by NTP, or ask who runs the service";
  if (Math.abs(skewMs) <= mostSkewMs) return warn("clock", `${text}; ${advice}`);
  return fail("clock", `${text}, so no scheduled run would store anything; ${advice}`);
}

// Without the directory the events are loaded all the same.
async function usersFinding(client: Client, source: NamedSource): Promise<Finding> {
  try {
    const { users, against } = await readUsers(client, source);
    const listed = `${source.name}: ${plural(users.length, "user")} listed`;
    return against.length === 0
      ? ok("users", listed)
      : warn(
          "users",
          `${listed}, and ${against.join(", ")} stands against the list's being whole; set sources.${source.name}.users.paging`,
        );
  } catch (error) {
    const found = failedWith("users", error, `${source.name}: `);
    if (found.exitCode === exitCode.refused) return found;
    return warn("users", `${source.name}: ${messageOf(error)}`);
  }
}
