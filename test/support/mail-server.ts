import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { SMTPServer, type SMTPServerOptions } from "smtp-server";

/** A message as it arrived: who it is for, and all of its text. */
export type Arrived = { readonly to: readonly string[]; readonly source: string };

/** A mail server on loopback that takes messages. */
export type MailServer = AsyncDisposable & {
  readonly port: number;
  readonly arrived: readonly Arrived[];
};

export const mailUser = "ops";
export const mailPassword = "SECRET-mail";

// `cut` takes the message, and its answer is lost.
type Data = "take" | "refuse" | "later" | "cut";

/** Starts a mail server; `onData` decides on each message. */
export async function startMailServer(
  options: SMTPServerOptions = {},
  onData: () => Data = () => "take",
): Promise<MailServer> {
  const arrived: Arrived[] = [];
  const server = new SMTPServer({
    authOptional: true,
    disableReverseLookup: true,
    logger: false,
    closeTimeout: 50,
    onAuth: ({ username, password }, _session, done) =>
      username === mailUser && password === mailPassword
        ? done(null, { user: username })
        : done(new Error("no")),
    onRcptTo: ({ address }, _session, done) =>
      address.startsWith("nobody@")
        ? done(Object.assign(new Error("no such user CANARY"), { responseCode: 550 }))
        : done(),
    onData: (stream, session, done) => {
      const parts: Buffer[] = [];
      stream.on("data", (part: Buffer) => parts.push(part));
      stream.on("end", () => {
        const now = onData();
        const answer = { refuse: 554, later: 451 }[now as "refuse" | "later"];
        if (answer !== undefined)
          return done(Object.assign(new Error("CANARY"), { responseCode: answer }));
        const to = session.envelope.rcptTo.map(({ address }) => address);
        arrived.push({ to, source: Buffer.concat(parts).toString("utf8") });
        if (now === "cut") cut();
        else done();
      });
    },
    ...options,
  });
  // A client that is cut off by a test is no fault of the server's.
  server.on("error", () => undefined);
  const sockets = new Set<{ destroy: () => void }>();
  const cut = (): void => sockets.forEach((socket) => socket.destroy());
  server.server.on("connection", (socket: { destroy: () => void }) => sockets.add(socket));
  server.listen(0, "127.0.0.1");
  await once(server.server, "listening");
  return {
    port: (server.server.address() as AddressInfo).port,
    arrived,
    [Symbol.asyncDispose]: () => new Promise((resolve) => server.close(() => resolve())),
  };
}
