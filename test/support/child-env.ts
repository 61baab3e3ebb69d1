// Settings of the whole suite are passed to the processes that tests start: the time zone, where temporary and
// compiled files belong, and the leak check.
const handedOn = /^(PATH|TZ|TMPDIR|XDG_CACHE_HOME|NODE_OPTIONS|TEST_[A-Z]+)$/;

/** Environment of a process that a test starts: bare but for what concerns the suite as a whole, and its own. */
export function childEnv(own: NodeJS.ProcessEnv = {}): NodeJS.ProcessEnv {
  const common = Object.entries(process.env).filter(([name]) => handedOn.test(name));
  return { ...Object.fromEntries(common), ...own };
}
