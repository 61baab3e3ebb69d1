import { AuditlakeError } from "../../base/errors.ts";

// Formats of C2SP: a proof that a checkpoint covers a leaf (tlog-proof), and a request to a witness (tlog-witness).

/** A proof of inclusion: the leaf's data as `extra`, its index, the hashes, and the checkpoint byte by byte. */
export type TlogProof = {
  readonly extra: string;
  readonly index: number;
  readonly hashes: readonly Buffer[];
  readonly checkpoint: string;
};

const firstLine = "c2sp.org/tlog-proof@v1";
const pattern = new RegExp(
  `^${firstLine}\\n(?:extra ([A-Za-z0-9+/]*={0,2})\\n)?index (0|[1-9]\\d{0,15})\\n((?:[A-Za-z0-9+/]{43}=\\n)*)\\n`,
);

export function formatProof({ extra, index, hashes, checkpoint }: TlogProof): string {
  const encoded = Buffer.from(extra).toString("base64");
  return `${firstLine}\nextra ${encoded}\nindex ${index}\n${formatHashes(hashes)}\n${checkpoint}`;
}

/** Reads a proof. Throws AuditlakeError, which does not name the file. */
export function parseProof(text: string): TlogProof {
  const [head, extra = "", index, lines] = pattern.exec(text) ?? [];
  if (head === undefined)
    throw new AuditlakeError(`is no proof; expected a file as of C2SP, which begins ${firstLine}`);
  return {
    extra: Buffer.from(extra, "base64").toString("utf8"),
    index: Number(index),
    hashes: lines!
      .split("\n")
      .slice(0, -1)
      .map((line) => Buffer.from(line, "base64")),
    checkpoint: text.slice(head.length),
  };
}

/** The body of a request to a witness: the size it has seen, the consistency proof, and the new checkpoint. */
export function formatAddCheckpoint(
  oldSize: number,
  hashes: readonly Buffer[],
  checkpoint: string,
): string {
  return `old ${oldSize}\n${formatHashes(hashes)}\n${checkpoint}`;
}

function formatHashes(hashes: readonly Buffer[]): string {
  return hashes.map((one) => `${one.toString("base64")}\n`).join("");
}
