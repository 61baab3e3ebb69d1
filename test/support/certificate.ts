import { generateKeyPairSync, sign } from "node:crypto";

/** A key and a certificate of its own making, both PEM, as a TLS server takes them. */
export type Certificate = { readonly key: string; readonly cert: string };

/** A self-signed certificate, good for a day, that names `name` as its subject and `hosts` as its hosts (RFC 5280). */
export function selfSigned(name: string, hosts: readonly string[]): Certificate {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const subject = sequence(item(0x31, sequence(objectId("550403"), item(0x0c, Buffer.from(name)))));
  const names = sequence(...hosts.map((host) => item(0x82, Buffer.from(host))));
  const extension = sequence(objectId("551d11"), item(0x04, names));
  const body = sequence(
    item(0xa0, item(0x02, Buffer.from([2]))),
    item(0x02, Buffer.from([1])),
    algorithm,
    subject,
    sequence(buildTime(Date.now() - 3_600_000), buildTime(Date.now() + 86_400_000)),
    subject,
    publicKey.export({ type: "spki", format: "der" }),
    item(0xa3, sequence(extension)),
  );
  const signature = item(0x03, Buffer.concat([Buffer.from([0]), sign("sha256", body, privateKey)]));
  const lines = sequence(body, algorithm, signature)
    .toString("base64")
    .replaceAll(/.{1,64}/g, "$&\n");
  const cert = `-----BEGIN CERTIFICATE-----\n${lines}-----END CERTIFICATE-----\n`;
  return { key: String(privateKey.export({ type: "pkcs8", format: "pem" })), cert };
}

function item(tag: number, ...parts: readonly Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  const { length } = content;
  const size = length < 128 ? [length] : [0x82, length >> 8, length & 255];
  return Buffer.concat([Buffer.from([tag, ...size]), content]);
}

function sequence(...parts: readonly Buffer[]): Buffer {
  return item(0x30, ...parts);
}

function objectId(hex: string): Buffer {
  return item(0x06, Buffer.from(hex, "hex"));
}

function buildTime(ms: number): Buffer {
  const text = new Date(ms).toISOString().replaceAll(/[-:T]|\.\d+/g, "");
  return item(0x17, Buffer.from(text.slice(2)));
}

// ecdsa-with-SHA256
const algorithm = sequence(objectId("2a8648ce3d040302"));
