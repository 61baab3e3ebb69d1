import { endpointFault, isFetched } from "../../../schemas/integrations.ts";
import { AuditlakeError, UsageError } from "../../base/errors.ts";
import { newTransport, outcomeText, usualTransport } from "../../base/http/transport.ts";
import type { Settings } from "../../base/home/settings.ts";
import type { World } from "../../base/world.ts";
import { parsedYaml } from "../../base/home/yaml.ts";
import type { Named } from "./chosen.ts";
import { workflowOf } from "./workflow.ts";

const maxBytes = 1024 * 1024;

/**
 * The activation as its `api_endpoint` defines it (seed 002, Endpoints, rule 3), where the integrations of its site
 * have it fetched. Else the activation itself, and `print` takes a note that nothing was fetched. Throws UsageError
 * where the address is not that of the account's site (C, rule 2).
 */
export async function byEndpoint(
  given: Named,
  { config: { integrations } }: Settings,
  world: World,
  print: (line: string) => void,
): Promise<Named> {
  const { name } = given;
  const { api_endpoint: endpoint } = given.activation;
  if (endpoint === undefined) return given;
  const fault = endpointFault(endpoint, integrations);
  if (fault !== undefined) throw new UsageError(`activation ${name}: api_endpoint: ${fault}`);
  if (!isFetched(endpoint, integrations)) {
    print(
      `note: api_endpoint was checked, and nothing was fetched from it (integrations.SITE.fetch)`,
    );
    return given;
  }
  const label = `workflow of activation ${name}, from its api_endpoint`;
  const text = await fetched(endpoint, label, world);
  const content = parsedYaml(text, (why) => {
    throw new AuditlakeError(`${label}: ${why}`);
  });
  const { activation, timezone, leftOut } = workflowOf(content, label);
  if (activation.api_endpoint !== endpoint)
    throw new UsageError(
      `${label}: api_endpoint: is another one than it was fetched from; expected the same`,
    );
  print(`the workflow definition was fetched from api_endpoint`);
  if (leftOut.length > 0) print(`note: only the activation is run, not ${leftOut.join(", ")}`);
  return { name, activation, timezone: timezone ?? given.timezone };
}

// Once for each run, without any credential: how the gateway would want one is not shown.
async function fetched(endpoint: string, label: string, world: World): Promise<string> {
  const options = { ...usualTransport, maxAnswerBytes: maxBytes };
  await using http = newTransport(options, world);
  const headers = { accept: "application/yaml, text/yaml, */*" };
  const found = await http.send(
    { method: "GET", url: new URL(endpoint), headers },
    { repeat: "harmless" },
  );
  if (found.outcome === "answered" && found.answer.status === 200) return found.answer.text;
  throw new AuditlakeError(
    `${label}: cannot be fetched: ${outcomeText(found)}; expected YAML of at most 1 MB; nothing was delivered`,
  );
}
