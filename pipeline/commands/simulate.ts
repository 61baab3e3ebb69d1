import { writeFile } from "node:fs/promises";
import { Option, type Command } from "commander";
import { usersOf } from "../../fixtures/company.ts";
import { fits, startService, type Service } from "../../fixtures/service.ts";
import { answerFormats, type AnswerFormat } from "../../fixtures/service/answer.ts";
import { pagingStyles, type PagingStyle } from "../../fixtures/service/paging.ts";
import { trafficOf, type Traffic } from "../../fixtures/traffic.ts";
import { AuditlakeError, isCode, UsageError } from "../errors.ts";
import type { World } from "../world.ts";

type Options = {
  readonly port: number;
  readonly seed: number;
  readonly days: number;
  readonly eventsPerDay: number;
  readonly paging: PagingStyle;
  readonly answer: AnswerFormat;
  readonly truth?: string;
};

const dayMs = 86_400_000;
// The log goes on after the start, so a service left running has something new every night.
const futureDays = 30;

const examples = `
Examples:
  auditlake simulate
  auditlake simulate --port 8080 --seed 7 --days 90 --truth truth.json
  auditlake simulate --paging cursor --answer envelope`;

/** Registers `simulate`: an emulated service on loopback, until the signal aborts. */
export function simulate(program: Command, world: World): void {
  program
    .command("simulate")
    .description("Play the service on loopback, with the audit log of an invented company.")
    .option("--port <n>", "port to listen on; 0 takes any free one", whole("--port", 0, 65_535), 0)
    .option(
      "--seed <n>",
      "the same seed gives the same company and log",
      whole("--seed", 0, 2 ** 32),
      1,
    )
    .option("--days <n>", "how far back the log reaches", whole("--days", 1, 3650), 30)
    .option(
      "--events-per-day <n>",
      "on average over a week",
      whole("--events-per-day", 0, 10_000_000),
      2000,
    )
    .addOption(
      new Option("--paging <style>", "how pages follow each other")
        .choices(pagingStyles)
        .default("page"),
    )
    .addOption(
      new Option("--answer <format>", "form of the bodies")
        .choices(answerFormats)
        .default("envelope"),
    )
    .option("--truth <file>", "write the planted incidents to a file, as JSON")
    .addHelpText(
      "after",
      `${examples}\n\nThe key is taken from AUDITLAKE_API_KEY; without one, a demo key is made up and printed.`,
    )
    .action((options: Options) => run(options, world));
}

async function run(options: Options, world: World): Promise<void> {
  const { paging, answer } = options;
  if (!fits(paging, answer))
    throw new UsageError(
      `--paging ${paging} needs --answer envelope, not ${answer}: no other body has room for the next page`,
    );
  const traffic = trafficUntil(options, world.now());
  if (options.truth !== undefined) await writeTruth(options.truth, traffic);
  const givenKey = world.env["AUDITLAKE_API_KEY"] || null;
  const apiKey = givenKey ?? demoKey(world.random);
  const service = await started(options, traffic, apiKey, world);
  try {
    world.stderr.write(noteOf(options, traffic));
    const key = givenKey === null ? ` AUDITLAKE_API_KEY=${apiKey}` : "";
    world.stdout.write(`export AUDITLAKE_BASE_URL=${service.url}${key}\n`);
    await aborted(world.signal);
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
  { port, paging, answer }: Options,
  traffic: Traffic,
  apiKey: string,
  world: World,
): Promise<Service> {
  try {
    return await startService({
      records: traffic,
      users: usersOf(traffic.company),
      apiKey,
      now: world.now,
      paging,
      answer,
      port,
    });
  } catch (error) {
    if (!isCode(error, "EADDRINUSE") && !isCode(error, "EACCES")) throw error;
    throw new AuditlakeError(
      `port ${port} cannot be had on 127.0.0.1: choose another, or leave --port out`,
      undefined,
      { cause: error },
    );
  }
}

function noteOf(
  { seed, days, eventsPerDay, paging, answer }: Options,
  { incidents }: Traffic,
): string {
  const log = `seed ${seed}: ${days} days, about ${eventsPerDay} events a day, ${incidents.length} planted incidents`;
  return `${log}; paging ${paging}, answer ${answer}. Ctrl-C ends it.\n`;
}

async function writeTruth(file: string, { incidents }: Traffic): Promise<void> {
  try {
    await writeFile(file, `${JSON.stringify(incidents, null, 2)}\n`);
  } catch (error) {
    throw new AuditlakeError("--truth: the file cannot be written", undefined, { cause: error });
  }
}

function demoKey(random: () => number): string {
  return `demo-${Array.from({ length: 24 }, () => Math.floor(random() * 16).toString(16)).join("")}`;
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
  });
}

function whole(flag: string, min: number, max: number): (text: string) => number {
  return (text) => {
    const value = /^\d{1,10}$/.test(text) ? Number(text) : NaN;
    if (value >= min && value <= max) return value;
    throw new UsageError(
      `${flag}: expected a whole number from ${min} to ${max}, got ${JSON.stringify(text)}`,
    );
  };
}
