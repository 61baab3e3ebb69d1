import dns, { type LookupAddress } from "node:dns";

// Resolves names below localhost to the loopback address, as browsers do; Node asks the machine, which may know none.

type Done = (error: Error | null, address: string | LookupAddress[], family?: number) => void;

const { lookup } = dns;

dns.lookup = ((name: string, options: { readonly all?: boolean }, done: Done) => {
  if (!name.endsWith(".localhost")) return lookup(name, options, done);
  const address = "127.0.0.1";
  if (options.all === true) done(null, [{ address, family: 4 }]);
  else done(null, address, 4);
}) as typeof lookup;
