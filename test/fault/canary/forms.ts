/** Every way in which a secret may be written down, by name; each is enough to give it away. */
export function listForms(secret: string): ReadonlyMap<string, Buffer> {
  const bytes = Buffer.from(secret);
  const forms = new Map<string, string>([
    ["plain", secret],
    ["url-encoded", encodeURIComponent(secret)],
    ["hex", bytes.toString("hex")],
    ["UTF-16", bytes.toString("utf16le")],
  ]);
  // Inside other base64 a secret has one of three forms, depending on the number of bytes before it.
  for (const before of [0, 1, 2]) {
    const all = Buffer.concat([Buffer.alloc(before), bytes]);
    const [start, end] = [Math.ceil((before * 8) / 6), Math.floor((all.length * 8) / 6)];
    forms.set(`base64 at ${before}`, all.toString("base64").slice(start, end));
    forms.set(`base64url at ${before}`, all.toString("base64url").slice(start, end));
  }
  const found = new Map([...forms].map(([name, text]) => [name, Buffer.from(text)]));
  found.set("UTF-16", Buffer.from(secret, "utf16le"));
  return found;
}
