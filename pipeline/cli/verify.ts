import { type Command, Option } from "commander";
import { newStreamSink } from "../answers/report/result.ts";
import { stepNames, type Verification } from "../answers/verify/verdict.ts";
import { verifyExport, type VerifyFlags } from "../answers/verify/verify.ts";
import { exitCode } from "../base/errors.ts";
import { readSettings } from "../base/home/settings.ts";
import { escapeControls } from "../base/printable.ts";
import type { World } from "../base/world.ts";
import { withQueries } from "./output-flags.ts";

const notes = `
The first line is the result, with its reason after a colon:
  proven                             the stored pages give the same bytes, and a head from elsewhere covers them
  internally consistent only         the same, without a signed head from elsewhere that is as large
  file changed since export          the file differs from its description
  log changed                        signature, key, origin or entries differ, or entries are missing
  stored pages changed               a landed file differs from its entry
  stored pages pruned                a read that the report could use was pruned
  produced by another version        this program gives other bytes than the program that wrote the file
  does not match the stored pages    the stored pages give other bytes

Exit code: 0 for proven, 3 for every other result, 1 if the file could not be checked.

Examples:
  auditlake verify denials.csv --head 4711.checkpoint
  auditlake verify denials.csv --head 4711.checkpoint --public-key key.pub --format json
  auditlake verify denials.csv --bundle denials-bundle`;

type Flags = VerifyFlags & { readonly format: "text" | "json" };

/** Registers `verify`. */
export function verify(program: Command, world: World): void {
  withQueries(
    program
      .command("verify")
      .description("verify an exported report: log, stored pages, and the bytes that they give"),
  )
    .argument("<file>", "CSV, NDJSON, JSON, Parquet or HTML file, written with --meta")
    .option("--meta <file>", "its description (default FILE.meta.json)")
    .option("--head <file>", "a head of the log that you have from elsewhere")
    .option("--public-key <file>", "the public key, as evidence init printed it")
    .option(
      "--bundle <dir>",
      "also write file, log, manifests, pages and a script that checks them",
    )
    .addOption(
      new Option("--format <format>", "output format").choices(["text", "json"]).default("text"),
    )
    .addHelpText("after", notes)
    .action(async (file: string, flags: Flags, command: Command) => {
      const settings = readSettings(command.optsWithGlobals(), world);
      const verification = await verifyExport(file, flags, settings, world);
      await newStreamSink(world.stdout)(
        flags.format === "json" ? `${JSON.stringify(verification)}\n` : formatText(verification),
      );
      return verification.result === "proven" ? exitCode.done : exitCode.findings;
    });
}

function formatText({ result, reason, steps }: Verification): string {
  const lines = steps.map(({ step, result: state, detail }) =>
    `${step} ${stepNames[step - 1]!.padEnd(12)}  ${state.padEnd(11)}  ${detail}`.trimEnd(),
  );
  return [`${result}: ${reason}`, ...lines].map((line) => `${escapeControls(line)}\n`).join("");
}
