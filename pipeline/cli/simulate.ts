import { type Command, Option } from "commander";
import { makeCompany, listUsers } from "../../fixtures/company.ts";
import { allFaults, faultNames, type Faults, newFaults } from "../../fixtures/faults.ts";
import { isPossible, type Service, startService } from "../../fixtures/service.ts";
import { type AnswerFormat, answerFormats } from "../../fixtures/service/answer.ts";
import { type PagingStyle, pagingStyles } from "../../fixtures/service/paging.ts";
import { calmTraffic, type Traffic, makeTraffic } from "../../fixtures/traffic.ts";
import { AuditlakeError, isCode, UsageError } from "../base/errors.ts";
import type { World } from "../base/world.ts";
import { awaitInterrupt } from "../base/terminal/confirm.ts";
import { type Access, newAccess } from "../../fixtures/access.ts";
import { makeKeys } from "../../fixtures/access/keys.ts";
import { createWriteStream } from "node:fs";
import { writeFile } from "node:fs/promises";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { writeTruthLine, listTruth } from "../../fixtures/faults/truth.ts";

/** The command line of `simulate`. */
type Options = {
  readonly port: number;
  readonly seed: number;
  readonly days: number;
  readonly eventsPerDay: number;
  readonly paging: PagingStyle;
  readonly answer: AnswerFormat;
  readonly fault?: readonly string[];
  readonly faultRate?: number;
  readonly truth?: string;
  readonly log?: string;
  readonly keyOf?: string;
};

const faultHelp = allFaults
  .map(({ name, meaning }) => `  ${name.padEnd(14)} ${meaning}`)
  .join("\n");

/** Refuses options that do not go together; throws UsageError. */
function checkOptions({ paging, answer, fault, faultRate }: Options): void {
  if (!isPossible(paging, answer))
    throw new UsageError(
      `--paging ${paging} needs --answer envelope, not ${answer}: only an envelope can contain the next page`,
    );
  const idle = fault?.find((name) => !canStrike(name, paging));
  if (idle !== undefined)
    throw new UsageError(
      `--fault ${idle} has no effect with --paging none, where a window is one response; remove it, or choose another paging style`,
    );
  if (faultRate !== undefined && fault === undefined)
    throw new UsageError("--fault-rate needs --fault: without faults, the rate has no effect");
}

/** Chooses the requested faults with the seed of the log; `all` means all applicable faults. */
function chooseFaults(options: Options): Faults | undefined {
  const { fault, faultRate, seed, paging } = options;
  const faults = fault && newFaults(fault, seed, faultRate);
  if (faults === undefined) return undefined;
  const names = [...faults.names].filter((name) => canStrike(name, paging));
  return { ...faults, names: new Set(names) };
}

function canStrike(name: string, paging: PagingStyle): boolean {
  const needsPages = allFaults.some((fault) => fault.name === name && fault.needsPages === true);
  return paging !== "none" || !needsPages;
}

/** Reads names between commas; a flag given again adds to those before. */
function readFaults(text: string, before: readonly string[] = []): string[] {
  const names = text.split(",").map((name) => name.trim());
  const unknown = names.find((name) => name !== "all" && !faultNames.includes(name));
  if (unknown === undefined) return [...before, ...names];
  throw new UsageError(
    `--fault: unknown fault ${JSON.stringify(unknown)}; expected all, or some of ${faultNames.join(",")}`,
  );
}

/** Reads a share from 0 to 1. */
function readRate(text: string): number {
  const rate = /^(?:\d+|\d*\.\d+)$/.test(text) ? Number(text) : NaN;
  if (rate >= 0 && rate <= 1) return rate;
  throw new UsageError(`--fault-rate: expected a number from 0 to 1, got ${JSON.stringify(text)}`);
}

/** A reader of whole numbers within bounds. */
function newIntegerParser(flag: string, min: number, max: number): (text: string) => number {
  return (text) => {
    const value = /^\d{1,10}$/.test(text) ? Number(text) : NaN;
    if (value >= min && value <= max) return value;
    throw new UsageError(
      `${flag}: expected a whole number from ${min} to ${max}, got ${JSON.stringify(text)}`,
    );
  };
}

const dayMs = 86_400_000;
// The log continues after the start, so a running service has new events every day.
const futureDays = 30;

const help = `
Faults, for --fault:
${faultHelp}

A fault affects a page only a few times, so a client that retries correctly
succeeds, in the worst case some runs later. The same seed and requests give
the same faults.

Examples:
  auditlake simulate
  auditlake simulate --port 8080 --seed 7 --days 90 --truth truth.json
  auditlake simulate --paging cursor --answer envelope
  auditlake simulate --fault drift,429,truncate --seed 7 --log log.ndjson
  auditlake simulate --key-of svc-reporting@example.com

The key comes from AUDITLAKE_API_KEY; without one, simulate generates and
prints a demo key. It belongs to the account owner, who can do everything.
--key-of prints the key of another user and ends; use the same seed and
AUDITLAKE_API_KEY as the running service. Changes of policies, shares and
roles last until the service ends, and appear in its audit log.`;

/** Registers `simulate`: an emulated service on loopback, until the signal aborts. */
export function simulate(program: Command, world: World): void {
  const toSeed = newIntegerParser("--seed", 0, 2 ** 32);
  const toEvents = newIntegerParser("--events-per-day", 0, 10_000_000);
  const styles = new Option("--paging <style>", "paging style");
  const forms = new Option("--answer <format>", "format of the responses");
  program
    .command("simulate")
    .description("simulate the service on loopback, with the audit log of a fictional company")
    .option(
      "--port <n>",
      "port to listen on; 0 takes any free one",
      newIntegerParser("--port", 0, 65_535),
      0,
    )
    .option("--seed <n>", "the same seed gives the same company and log", toSeed, 1)
    .option("--days <n>", "length of the log in days", newIntegerParser("--days", 1, 3650), 30)
    .option("--events-per-day <n>", "events per day, on average over a week", toEvents, 2000)
    .addOption(styles.choices(pagingStyles).default("page"))
    .addOption(forms.choices(answerFormats).default("envelope"))
    .option("--fault <names>", "faults: all, or names separated by commas", readFaults)
    .option(
      "--fault-rate <share>",
      "share of affected requests or events, 0 to 1; default 0.2",
      readRate,
    )
    .option("--key-of <email>", "print the API key of a user and end")
    .option("--truth <file>", "write the planted incidents to a file as JSON")
    .option("--log <file>", "write the whole log with visible_at to a file as NDJSON")
    .addHelpText("after", help)
    .action((options: Options) => run(options, world));
}

async function run(options: Options, world: World): Promise<void> {
  checkOptions(options);
  const givenKey = world.env["AUDITLAKE_API_KEY"] || null;
  if (options.keyOf !== undefined) {
    world.stdout.write(formatKey(options, givenKey));
    return;
  }
  const faults = chooseFaults(options);
  const traffic = buildTraffic(options, world.now());
  if (options.truth !== undefined) await writeTruth(options.truth, traffic);
  if (options.log !== undefined) await writeLog(options.log, traffic, faults);
  const apiKey = givenKey ?? makeDemoKey(world.random);
  const service = await startSimulation(options, traffic, faults, apiKey, world);
  try {
    world.stderr.write(formatNote(options, traffic, faults));
    const key = givenKey === null ? ` AUDITLAKE_API_KEY=${apiKey}` : "";
    world.stdout.write(`export AUDITLAKE_BASE_URL=${service.url}${key}\n`);
    await awaitInterrupt(world);
  } finally {
    await service.close();
  }
}

function buildTraffic({ seed, days, eventsPerDay }: Options, now: number): Traffic {
  return makeTraffic({
    seed,
    from: now - days * dayMs,
    to: now + futureDays * dayMs,
    eventsPerDay,
    incidentsBefore: now,
    ...calmTraffic(days),
  });
}

async function startSimulation(
  options: Options,
  traffic: Traffic,
  faults: Faults | undefined,
  apiKey: string,
  { now }: World,
): Promise<Service> {
  const { port, paging, answer } = options;
  const users = listUsers(traffic.company);
  const records = traffic;
  const access = buildAccess(options, traffic, apiKey, { now });
  try {
    const plain = { records, users, access, apiKey, now, paging, answer, port };
    return await startService(faults === undefined ? plain : { ...plain, faults });
  } catch (error) {
    if (!isCode(error, "EADDRINUSE") && !isCode(error, "EACCES")) throw error;
    throw new AuditlakeError(
      `port ${port} is not available on 127.0.0.1: choose another, or omit --port`,
      undefined,
      { cause: error },
    );
  }
}

function formatNote(options: Options, { incidents }: Traffic, faults: Faults | undefined): string {
  const { seed, days, eventsPerDay, paging, answer } = options;
  const log = `seed ${seed}: ${days} days, about ${eventsPerDay} events a day, ${incidents.length} planted incidents`;
  const wrong = faults ? `; faults ${[...faults.names].join(",")} at rate ${faults.rate}` : "";
  return `${log}; paging ${paging}, answer ${answer}${wrong}. Ctrl-C ends it.\n`;
}

function makeDemoKey(random: () => number): string {
  return `demo-${Array.from({ length: 24 }, () => Math.floor(random() * 16).toString(16)).join("")}`;
}

const accessDayMs = 86_400_000;
// The first request for access control reads the log up to now. Of a busy log it reads fewer days.
const mostEvents = 300_000;

/** Access control for the company of the traffic, moved by what the log says of policies, shares and roles. */
function buildAccess(
  { seed, eventsPerDay }: Options,
  traffic: Traffic,
  apiKey: string,
  { now }: Pick<World, "now">,
): Access {
  const { company, day } = traffic;
  const oldest = now() - Math.max(mostEvents / Math.max(eventsPerDay, 1), 1) * accessDayMs;
  const days = traffic.days.filter((start) => start + accessDayMs > oldest);
  return newAccess({ seed, apiKey, now, company, traffic: { days, day } });
}

/**
 * Formats the line that sets the API key of a user, for a service with the seed and the key of the environment. Throws
 * UsageError for an unknown key or user.
 */
function formatKey({ seed, keyOf }: Options, apiKey: string | null): string {
  if (apiKey === null)
    throw new UsageError(
      "--key-of: set AUDITLAKE_API_KEY to the key of the running service; the keys of its users are derived from it",
    );
  const users = listUsers(makeCompany(seed));
  const key = makeKeys(users, apiKey).findKey(keyOf ?? "");
  if (key !== undefined) return `export AUDITLAKE_API_KEY=${key}\n`;
  const some = users.slice(-4, -1).map((user) => user.email);
  throw new UsageError(
    `--key-of: no user in the company of seed ${seed} has the e-mail ${JSON.stringify(keyOf)}; there are, for example, ${some.join(", ")}`,
  );
}

async function writeTruth(file: string, { incidents }: Traffic): Promise<void> {
  await tryWrite("--truth", () => writeFile(file, `${JSON.stringify(incidents, null, 2)}\n`));
}

/** Writes every event of the log, with the moment it becomes visible, as newline-delimited JSON. */
async function writeLog(file: string, traffic: Traffic, faults?: Faults): Promise<void> {
  const lines = Readable.from(listTruth(traffic, faults).map(writeTruthLine));
  await tryWrite("--log", () => pipeline(lines, createWriteStream(file)));
}

async function tryWrite(flag: string, write: () => Promise<void>): Promise<void> {
  try {
    await write();
  } catch (error) {
    throw new AuditlakeError(`${flag}: the file cannot be written`, undefined, { cause: error });
  }
}
