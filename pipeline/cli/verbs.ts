import type { Command } from "commander";
import type { World } from "../base/world.ts";

/** Adds a verb to the program. */
export type Register = (program: Command, world: World) => void;

/** A verb as the help of the program shows it, and what loads the rest of it. */
type Verb = {
  readonly term: string;
  readonly does: string;
  readonly load: () => Promise<Register>;
};

/** The verbs in the order of the help. Each is loaded only when it is asked for. */
export const verbs: Readonly<Record<string, Verb>> = {
  init: {
    term: "init [options]",
    does: "write auditlake.json for a new source, its paging found by asking the service",
    load: async () => (await import("./init.ts")).init,
  },
  ingest: {
    term: "ingest [options]",
    does: "pull the audit log page by page and load it; without a range, continue from the checkpoint; without --source, of every configured source",
    load: async () => (await import("./ingest.ts")).ingest,
  },
  import: {
    term: "import [options] [file...]",
    does: "load files of records: JSON, CSV or Parquet, plain, gzip or zstd",
    load: async () => (await import("./import.ts")).importFiles,
  },
  report: {
    term: "report [name]",
    does: "answer a question with one of the reports, as a table, CSV, JSON and so on",
    load: async () => (await import("./report.ts")).report,
  },
  investigate: {
    term: "investigate [options]",
    does: "everything about a user, an address, a resource or a job, on one timeline",
    load: async () => (await import("./investigate.ts")).investigate,
  },
  sql: {
    term: "sql [options] [query]",
    does: "run read-only SQL on the published data: one statement, or on a terminal a prompt",
    load: async () => (await import("./sql.ts")).sql,
  },
  tables: {
    term: "tables [options] [name]",
    does: "what can be asked with SQL: tables and views, and what each column means",
    load: async () => (await import("./tables.ts")).tables,
  },
  status: {
    term: "status [options]",
    does: "show runs, windows, gaps, what is final, lateness, sizes and errors",
    load: async () => (await import("./status.ts")).status,
  },
  catalog: {
    term: "catalog",
    does: "the reference of events, and how well it fits the data",
    load: async () => (await import("./catalog.ts")).catalog,
  },
  users: {
    term: "users [options]",
    does: "the user directory as last read, with each user's last event",
    load: async () => (await import("./users.ts")).users,
  },
  access: {
    term: "access",
    does: "who may do what: by which way, since when, given by whom, on what evidence",
    load: async () => (await import("./access.ts")).access,
  },
  policy: {
    term: "policy",
    does: "read, set, compare and keep the database permissions of policies",
    load: async () => (await import("./policy.ts")).policy,
  },
  export: {
    term: "export [options] [report]",
    does: "deliver the result of a report to a target",
    load: async () => (await import("./export.ts")).exportVerb,
  },
  page: {
    term: "page [options]",
    does: "write the page to open in the morning: health, what is new, charts and tables",
    load: async () => (await import("./page.ts")).page,
  },
  serve: {
    term: "serve [options]",
    does: "look at the published data in a browser: events, reports, access, SQL",
    load: async () => (await import("./serve.ts")).serve,
  },
  publish: {
    term: "publish",
    does: "copy the warehouse to the file that readers open, verify it and put it in place",
    load: async () => (await import("./publish.ts")).publish,
  },
  lake: {
    term: "lake",
    does: "keep the rows in Delta tables too, for engines that scale out",
    load: async () => (await import("./lake.ts")).lake,
  },
  rebuild: {
    term: "rebuild [options]",
    does: "make the database anew from the landed pages, and compare digests",
    load: async () => (await import("./rebuild.ts")).rebuild,
  },
  prune: {
    term: "prune [options]",
    does: "remove landed pages older than a time, with --events the events of that time, too",
    load: async () => (await import("./prune.ts")).prune,
  },
  doctor: {
    term: "doctor [options]",
    does: "check machine, configuration, service, data and reports, and say what to do",
    load: async () => (await import("./doctor.ts")).doctor,
  },
  activate: {
    term: "activate [options] [name]",
    does: "deliver what is new, updated, deleted or unchanged since the last run",
    load: async () => (await import("./activate.ts")).activate,
  },
  connect: {
    term: "connect [program]",
    does: "print how to open the published data in other programs",
    load: async () => (await import("./connect.ts")).connect,
  },
  config: {
    term: "config",
    does: "what is configured, and where it comes from",
    load: async () => (await import("./config.ts")).config,
  },
  mcp: {
    term: "mcp [options]",
    does: "answer programs that talk to language models (Model Context Protocol, on stdio)",
    load: async () => (await import("./mcp.ts")).mcp,
  },
  completion: {
    term: "completion <shell>",
    does: "print what completes this command line in a shell",
    load: async () => (await import("./completion.ts")).completion,
  },
  schedule: {
    term: "schedule",
    does: "run the jobs of the configuration when they are due, or print what to install",
    load: async () => (await import("./schedule.ts")).schedule,
  },
  simulate: {
    term: "simulate [options]",
    does: "Play the service on loopback, with the audit log of an invented company.",
    load: async () => (await import("./simulate.ts")).simulate,
  },
  demo: {
    term: "demo [options]",
    does: "play 30 days of an emulated service through the whole way: ingest, delivery, reports, CSV",
    load: async () => (await import("./demo.ts")).demo,
  },
};
