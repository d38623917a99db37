import v8 from "node:v8";
import vm from "node:vm";

// Without a flag of the process, so that the heap is measured in every run.
v8.setFlagsFromString("--expose-gc");
const collect = vm.runInNewContext("gc") as () => void;

/** Collects this process's garbage. @returns bytes of objects and buffers that are left */
export function collectedHeap(): number {
  collect();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}
