import { type Command, Option } from "commander";
import { exitCode } from "../../errors.ts";
import { compareSets, type Comparison, type Grant } from "../../page/permissions.ts";
import { jsonDocument } from "../text/json.ts";
import { streamSink } from "../../report/sink.ts";
import { currentSet } from "../../run/policy-change.ts";
import type { World } from "../../world.ts";
import { sayTo } from "../output.ts";
import { changeLines, changeText } from "./lines.ts";
import { onPolicy } from "./target.ts";
import { readSetFile } from "./wanted.ts";

type Flags = {
  readonly file: string;
  readonly format: "text" | "json";
  readonly strict?: true;
};

/** Registers `policy diff`. */
export function addDiff(verb: Command, world: World): void {
  verb
    .command("diff")
    .description("compare a policy with a file: what setting the file would add and take away")
    .argument("<id>", "id of the policy")
    .requiredOption("--file <file>", "permission set as JSON")
    .addOption(
      new Option("--format <format>", "form of the output")
        .choices(["text", "json"])
        .default("text"),
    )
    .option("--strict", `end with exit code ${exitCode.findings} where they differ`)
    .addHelpText(
      "after",
      "\nThe order of entries and of ids does not count.\n\nExamples:\n  auditlake policy diff 1234 --file policy-1234.json\n  auditlake policy diff 1234 --file policy-1234.json --strict --format json",
    )
    .action(async (id: string, flags: Flags, command: Command) => {
      const wanted = readSetFile(flags.file, true);
      await onPolicy(id, command, world, async ({ client, settings }) => {
        const comparison = compareSets(await currentSet(client, id), wanted);
        const sink = streamSink(world.stdout, world.signal);
        await sink(flags.format === "json" ? jsonOf(id, comparison) : changeLines(comparison));
        const say = sayTo(world, settings.flags.quiet === true);
        const isSame = comparison.added.length + comparison.removed.length === 0;
        say(`policy ${id}: ${isSame ? "as in the file" : changeText(comparison)}`);
        if (!isSame && flags.strict) process.exitCode = exitCode.findings;
      });
    });
}

function jsonOf(id: string, { added, removed, kept }: Comparison): string {
  const content = {
    policy_id: id,
    added: added.map(rowOf),
    removed: removed.map(rowOf),
    kept: kept.length,
  };
  return jsonDocument(content);
}

function rowOf(grant: Grant): Readonly<Record<string, string | null>> {
  return {
    resource_kind: grant.kind,
    operation: grant.operation,
    object_id: grant.objectId,
    object_name: grant.objectName,
    details: grant.details,
  };
}
