import { Option, type Command } from "commander";
import { usersOf } from "../../fixtures/company.ts";
import type { Faults } from "../../fixtures/faults.ts";
import { startService, type Service } from "../../fixtures/service.ts";
import { answerFormats } from "../../fixtures/service/answer.ts";
import { pagingStyles } from "../../fixtures/service/paging.ts";
import { trafficOf, type Traffic } from "../../fixtures/traffic.ts";
import { AuditlakeError, isCode } from "../base/errors.ts";
import type { World } from "../base/world.ts";
import { accessFor, keyLine } from "./simulate/access.ts";
import { writeLog, writeTruth } from "./simulate/files.ts";
import {
  checkOptions,
  chosenFaults,
  faultHelp,
  readFaults,
  readRate,
  whole,
  type Options,
} from "./simulate/options.ts";
import { interrupted } from "../base/terminal/interrupt.ts";

const dayMs = 86_400_000;
// The log goes on after the start, so a service left running has something new every night.
const futureDays = 30;

const help = `
Faults, for --fault:
${faultHelp}

A fault gives up on a page after some strikes, so a client that tries again as
it should gets through, in the worst case some runs later. The same seed and the
same requests give the same faults.

Examples:
  auditlake simulate
  auditlake simulate --port 8080 --seed 7 --days 90 --truth truth.json
  auditlake simulate --paging cursor --answer envelope
  auditlake simulate --fault drift,429,truncate --seed 7 --log log.ndjson
  auditlake simulate --key-of svc-reporting@example.com

The key is taken from AUDITLAKE_API_KEY; without one, a demo key is made up and
printed. It is the account owner's, who may do everything. --key-of prints the
key of another user, who may do less, and ends; with the same seed, and with
AUDITLAKE_API_KEY as the running service has it. What is changed of policies,
shares and roles lasts until the service ends, and stands in its audit log.`;

/** Registers `simulate`: an emulated service on loopback, until the signal aborts. */
export function simulate(program: Command, world: World): void {
  const toSeed = whole("--seed", 0, 2 ** 32);
  const toEvents = whole("--events-per-day", 0, 10_000_000);
  const styles = new Option("--paging <style>", "how pages follow each other");
  const forms = new Option("--answer <format>", "form of the bodies");
  program
    .command("simulate")
    .description("Play the service on loopback, with the audit log of an invented company.")
    .option("--port <n>", "port to listen on; 0 takes any free one", whole("--port", 0, 65_535), 0)
    .option("--seed <n>", "the same seed gives the same company and log", toSeed, 1)
    .option("--days <n>", "how far back the log reaches", whole("--days", 1, 3650), 30)
    .option("--events-per-day <n>", "on average over a week", toEvents, 2000)
    .addOption(styles.choices(pagingStyles).default("page"))
    .addOption(forms.choices(answerFormats).default("envelope"))
    .option("--fault <names>", "what goes wrong: all, or names between commas", readFaults)
    .option("--fault-rate <share>", "of requests or events, 0 to 1; 0.2 if left out", readRate)
    .option("--key-of <email>", "print the API key of a user, and end")
    .option("--truth <file>", "write the planted incidents to a file, as JSON")
    .option("--log <file>", "write the whole log with visible_at to a file, as NDJSON")
    .addHelpText("after", help)
    .action((options: Options) => run(options, world));
}

async function run(options: Options, world: World): Promise<void> {
  checkOptions(options);
  const givenKey = world.env["AUDITLAKE_API_KEY"] || null;
  if (options.keyOf !== undefined) {
    world.stdout.write(keyLine(options, givenKey));
    return;
  }
  const faults = chosenFaults(options);
  const traffic = trafficUntil(options, world.now());
  if (options.truth !== undefined) await writeTruth(options.truth, traffic);
  if (options.log !== undefined) await writeLog(options.log, traffic, faults);
  const apiKey = givenKey ?? demoKey(world.random);
  const service = await started(options, traffic, faults, apiKey, world);
  try {
    world.stderr.write(noteOf(options, traffic, faults));
    const key = givenKey === null ? ` AUDITLAKE_API_KEY=${apiKey}` : "";
    world.stdout.write(`export AUDITLAKE_BASE_URL=${service.url}${key}\n`);
    await interrupted(world);
  } finally {
    await service.close();
  }
}

function trafficUntil({ seed, days, eventsPerDay }: Options, now: number): Traffic {
  return trafficOf({
    seed,
    from: now - days * dayMs,
    to: now + futureDays * dayMs,
    eventsPerDay,
    incidentsBefore: now,
  });
}

async function started(
  options: Options,
  traffic: Traffic,
  faults: Faults | undefined,
  apiKey: string,
  { now }: World,
): Promise<Service> {
  const { port, paging, answer } = options;
  const users = usersOf(traffic.company);
  const records = traffic;
  const access = accessFor(options, traffic, apiKey, { now });
  try {
    const plain = { records, users, access, apiKey, now, paging, answer, port };
    return await startService(faults === undefined ? plain : { ...plain, faults });
  } catch (error) {
    if (!isCode(error, "EADDRINUSE") && !isCode(error, "EACCES")) throw error;
    throw new AuditlakeError(
      `port ${port} cannot be had on 127.0.0.1: choose another, or leave --port out`,
      undefined,
      { cause: error },
    );
  }
}

function noteOf(options: Options, { incidents }: Traffic, faults: Faults | undefined): string {
  const { seed, days, eventsPerDay, paging, answer } = options;
  const log = `seed ${seed}: ${days} days, about ${eventsPerDay} events a day, ${incidents.length} planted incidents`;
  const wrong = faults ? `; faults ${[...faults.names].join(",")} at rate ${faults.rate}` : "";
  return `${log}; paging ${paging}, answer ${answer}${wrong}. Ctrl-C ends it.\n`;
}

function demoKey(random: () => number): string {
  return `demo-${Array.from({ length: 24 }, () => Math.floor(random() * 16).toString(16)).join("")}`;
}
