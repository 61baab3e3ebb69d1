// Formats of C2SP: a proof that a checkpoint covers a leaf (tlog-proof), and a request to a witness (tlog-witness).

/** A proof of inclusion: the leaf's data as `extra`, its index, the hashes, and the checkpoint byte by byte. */
type TlogProof = {
  readonly extra: string;
  readonly index: number;
  readonly hashes: readonly Buffer[];
  readonly checkpoint: string;
};

const firstLine = "c2sp.org/tlog-proof@v1";
/** A proof as a text file. */
export function formatProof({ extra, index, hashes, checkpoint }: TlogProof): string {
  const encoded = Buffer.from(extra).toString("base64");
  return `${firstLine}\nextra ${encoded}\nindex ${index}\n${formatHashes(hashes)}\n${checkpoint}`;
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
