import type { EvidenceConfig } from "../../../schemas/evidence.ts";
import { AuditlakeError } from "../../base/errors.ts";
import { checkBase } from "../../base/http/address.ts";
import type { World } from "../../base/world.ts";
import {
  checkSignature,
  formatSignature,
  parseCheckpoint,
  parseSignatures,
  parseVerifierKey,
} from "./checkpoint.ts";
import { formatAddCheckpoint, proveConsistency } from "./tree.ts";

/** The witness has seen another tree of this log than this home has. */
export class WitnessConflict extends AuditlakeError {
  override name = "WitnessConflict";
}

// A run waits for it no longer than that.
const options = { timeoutMs: 10_000, maxAttempts: 2, maxAnswerBytes: 64 * 1024 };

type Asked = {
  readonly note: string;
  readonly leaves: readonly Buffer[];
  /** The size that the witness is thought to have seen last. */
  readonly oldSize: number;
};

/**
 * Has a C2SP tlog-witness sign a head; resolves to the note with its signature line. Throws WitnessConflict where it has
 * seen a larger tree or another one, AuditlakeError where it does not sign for another reason.
 */
export async function askWitness(
  { url, key }: NonNullable<EvidenceConfig["witness"]>,
  { note, leaves, oldSize }: Asked,
  world: World,
): Promise<string> {
  const verifier = parseVerifierKey(key);
  const address = new URL(
    `${checkBase(url, world.env, "evidence.witness.url").href.replace(/(?<!\/)\/+$/, "")}/add-checkpoint`,
  );
  // Few homes have a witness, and the HTTP client takes a moment to load.
  const { formatOutcome, newTransport } = await import("../../base/http/transport.ts");
  await using http = newTransport(options, world);
  for (let size = oldSize, isKnown = false; ; isKnown = true) {
    const body = formatAddCheckpoint(size, proveConsistency(leaves, size), note);
    const found = await http.send({ method: "POST", url: address, body }, { repeat: "harmless" });
    if (found.outcome !== "answered") throw new AuditlakeError(formatOutcome(found));
    const { status, text } = found.answer;
    if (status === 200) return note + takeSignature(note, text, verifier);
    if (status !== 409 && status !== 422) throw new AuditlakeError(`it returned status ${status}`);
    const seen = status === 409 ? /^(0|[1-9]\d{0,15})\n$/.exec(text)?.[1] : undefined;
    if (seen === undefined || Number(seen) > leaves.length || isKnown)
      throw new WitnessConflict(
        `the witness has seen ${seen === undefined ? "another log" : `${seen} entries`} of this name, but this home has ${leaves.length}`,
      );
    size = Number(seen);
  }
}

function takeSignature(
  note: string,
  lines: string,
  key: ReturnType<typeof parseVerifierKey>,
): string {
  const own = parseSignatures(lines).filter(
    ({ name, keyId }) => name === key.name && keyId === key.keyId,
  );
  const { text } = parseCheckpoint(note);
  if (checkSignature({ text, signatures: own }, key) !== "valid")
    throw new AuditlakeError("its response is not signed with evidence.witness.key");
  return own.map(formatSignature).join("");
}
