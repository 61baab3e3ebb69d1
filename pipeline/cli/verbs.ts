import type { Command } from "commander";
import type { World } from "../base/world.ts";

export type Register = (program: Command, world: World) => void;

/** A verb as the help of the program shows it, and what loads the rest of it. */
type Verb = {
  readonly term: string;
  readonly does: string;
  readonly load: () => Promise<Register>;
};

/** The verbs in the order of the help, loaded on demand. */
export const verbs: Readonly<Record<string, Verb>> = {
  init: {
    term: "init [options]",
    does: "write auditlake.json for a new source; detects paging and field names",
    load: async () => (await import("./init.ts")).init,
  },
  ingest: {
    term: "ingest [options]",
    does: "pull the audit log of every source and load it; without a range, continue from the checkpoint",
    load: async () => (await import("./ingest.ts")).ingest,
  },
  import: {
    term: "import [options] [file...]",
    does: "load exported files: JSON, CSV or Parquet, plain or compressed",
    load: async () => (await import("./import.ts")).importFiles,
  },
  report: {
    term: "report [name]",
    does: "list and run reports, as table, CSV, JSON, chart or Parquet",
    load: async () => (await import("./report.ts")).report,
  },
  verify: {
    term: "verify [options] <file>",
    does: "verify an exported report: log, stored pages, and the bytes that they give",
    load: async () => (await import("./verify.ts")).verify,
  },
  findings: {
    term: "findings",
    does: "list findings, decide on them, and test detections",
    load: async () => (await import("./findings.ts")).findings,
  },
  investigate: {
    term: "investigate [options]",
    does: "show a timeline of a user, an address, a resource or a job",
    load: async () => (await import("./investigate.ts")).investigate,
  },
  sql: {
    term: "sql [options] [query]",
    does: "run read-only SQL on the published data: one statement, or an interactive prompt",
    load: async () => (await import("./sql.ts")).sql,
  },
  tables: {
    term: "tables [options] [name]",
    does: "list tables and views with the meaning of each column",
    load: async () => (await import("./tables.ts")).tables,
  },
  status: {
    term: "status [options]",
    does: "show completeness, runs, coverage gaps, late data, sizes and errors",
    load: async () => (await import("./status.ts")).status,
  },
  catalog: {
    term: "catalog",
    does: "list the known events, and compare the catalog with the data",
    load: async () => (await import("./catalog.ts")).catalog,
  },
  users: {
    term: "users [options]",
    does: "list the users of the directory, with the last event of each",
    load: async () => (await import("./users.ts")).users,
  },
  access: {
    term: "access",
    does: "show who can reach a database, what a user can do, and why",
    load: async () => (await import("./access.ts")).access,
  },
  policy: {
    term: "policy",
    does: "read, set, compare and store the permissions of policies",
    load: async () => (await import("./policy.ts")).policy,
  },
  export: {
    term: "export [options] [report]",
    does: "deliver the result of a report to a target",
    load: async () => (await import("./export.ts")).exportVerb,
  },
  page: {
    term: "page [options]",
    does: "write the daily report, or a page of your own, as one HTML file",
    load: async () => (await import("./page.ts")).page,
  },
  serve: {
    term: "serve [options]",
    does: "open the published data in a browser: events, reports, access, SQL",
    load: async () => (await import("./serve.ts")).serve,
  },
  publish: {
    term: "publish",
    does: "copy the warehouse to the file that readers open, and verify it",
    load: async () => (await import("./publish.ts")).publish,
  },
  lake: {
    term: "lake",
    does: "publish the rows as Delta tables for distributed query engines such as Trino",
    load: async () => (await import("./lake.ts")).lake,
  },
  rebuild: {
    term: "rebuild [options]",
    does: "rebuild the database from the stored raw pages, and compare digests",
    load: async () => (await import("./rebuild.ts")).rebuild,
  },
  prune: {
    term: "prune [options]",
    does: "remove raw pages older than a time; with --events also their events",
    load: async () => (await import("./prune.ts")).prune,
  },
  doctor: {
    term: "doctor [options]",
    does: "check configuration, connectivity and data, and print what to do",
    load: async () => (await import("./doctor.ts")).doctor,
  },
  evidence: {
    term: "evidence",
    does: "sign the log over landed files, and print its heads and proofs",
    load: async () => (await import("./evidence.ts")).evidence,
  },
  activate: {
    term: "activate [options] [name]",
    does: "deliver new, updated, deleted or unchanged rows since the last run",
    load: async () => (await import("./activate.ts")).activate,
  },
  connect: {
    term: "connect [program]",
    does: "print how to open the published data in other programs",
    load: async () => (await import("./connect.ts")).connect,
  },
  config: {
    term: "config",
    does: "show the configuration with the origin of each value",
    load: async () => (await import("./config.ts")).config,
  },
  mcp: {
    term: "mcp [options]",
    does: "run an MCP server for AI assistants, on standard input and output",
    load: async () => (await import("./mcp.ts")).mcp,
  },
  completion: {
    term: "completion <shell>",
    does: "print a completion script for bash, zsh or fish",
    load: async () => (await import("./completion.ts")).completion,
  },
  schedule: {
    term: "schedule",
    does: "run scheduled jobs, or print a crontab or systemd units for them",
    load: async () => (await import("./schedule.ts")).schedule,
  },
  simulate: {
    term: "simulate [options]",
    does: "simulate the service on loopback, with the audit log of a fictional company",
    load: async () => (await import("./simulate.ts")).simulate,
  },
  demo: {
    term: "demo [options]",
    does: "run an end-to-end demo: 30 days of an emulated service, deliveries, reports",
    load: async () => (await import("./demo.ts")).demo,
  },
};
