// Preloaded into a node with `--expose-gc`: on SIGUSR2 it collects its garbage and prints the KiB that are left, and
// how many sockets, timers and listeners of the process there are. Other figures of memory
// depend on when Node.js last collected.
process.on("SIGUSR2", () => {
  globalThis.gc();
  const { heapUsed, external } = process.memoryUsage();
  const held = {};
  for (const kind of process.getActiveResourcesInfo()) held[kind] = (held[kind] ?? 0) + 1;
  for (const event of process.eventNames()) held[`listeners of ${String(event)}`] = process.listenerCount(event);
  process.stdout.write(`HELD ${JSON.stringify(held)}\nHEAP ${Math.round((heapUsed + external) / 1024)}\n`);
});
