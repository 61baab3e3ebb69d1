/** What some work takes of the processor, in ms: whatever else the machine does is not in it. */
export async function readCpuMs(work: () => unknown): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}
