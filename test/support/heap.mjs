// Preloaded into a node with `--expose-gc`: on SIGUSR2 it collects its garbage and prints the KiB that are left. Other figures of memory
// depend on when Node.js last collected.
process.on("SIGUSR2", () => {
  globalThis.gc();
  const { heapUsed, external } = process.memoryUsage();
  process.stdout.write(`HEAP ${Math.round((heapUsed + external) / 1024)}\n`);
});
