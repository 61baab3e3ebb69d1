import { commandText } from "../../base/command-line.ts";
import { exitCode } from "../../base/errors.ts";
import type { Client } from "../../core/source/client.ts";
import type { Findings } from "../../core/source/discovery/investigate.ts";
import type { NamedSource } from "../../base/home/settings.ts";
import type { World } from "../../base/world.ts";
import { findPaging, writtenAudits } from "./paging-found.ts";
import { plural } from "../../base/terminal/amounts.ts";
import { fail, failedWith, type Finding, ok, warn } from "./finding.ts";

/** Whether the configuration in force reads the log whole, and which one would. */
export async function pagingFinding(
  client: Client,
  source: NamedSource,
  world: World,
): Promise<Finding> {
  try {
    const found = await findPaging(client, source, true, world);
    const finding = findingOf(source, found);
    // A second line would be hidden behind a fault of the paging, whose setting has the path, too.
    return finding.level === "ok" && found.idAt !== undefined
      ? warn("paging", `${finding.text}; ${idAdvice(source, found.idAt)}`)
      : finding;
  } catch (error) {
    const found = failedWith("paging", error, `${source.name}: `);
    return found.exitCode === exitCode.refused ? found : warn("paging", found.text);
  }
}

function idAdvice({ name }: NamedSource, idAt: string): string {
  return `its records have no id, and ${idAt} is different in each: if it names the record, set sources.${name}.audits.id_at to ${JSON.stringify(idAt)}, then run ${commandText("rebuild")}`;
}

function findingOf({ name }: NamedSource, found: Findings): Finding {
  const { audits, inForce, text, requests } = found;
  const asked = `(${plural(requests, "request")})`;
  const own = "the configuration in force";
  if (inForce?.is === "whole") return ok("paging", `${name}: ${own} reads whole: ${text} ${asked}`);
  const broken = inForce?.is === "wrong" ? `${own} does not read whole: ${inForce.why}` : undefined;
  if (audits !== undefined) {
    const right = `set sources.${name}.audits to ${JSON.stringify(writtenAudits(audits))}, which does: ${text} ${asked}`;
    return broken === undefined
      ? warn("paging", `${name}: nothing shows that ${own} reads whole; ${right}`)
      : fail("paging", `${name}: ${broken}; ${right}`);
  }
  const unknown = `${text} ${asked}; docs/paging.md shows each kind`;
  if (broken !== undefined)
    return fail("paging", `${name}: ${broken}; which one does is not known: ${unknown}`);
  if (found.hasTooLittle)
    return ok("paging", `${name}: nothing to tell it by yet: ${text} ${asked}`);
  return warn("paging", `${name}: it is not known whether ${own} reads whole: ${unknown}`);
}
