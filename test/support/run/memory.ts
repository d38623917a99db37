import { readdirSync, readFileSync, statfsSync } from "node:fs";

/** How often the memory is measured, in milliseconds. */
const EVERY = 5000;

const statusOf = (pid: string, file: string): string => {
  try {
    return readFileSync(`/proc/${pid}/${file}`, "utf8");
  } catch {
    return ""; // It ended, or the system does not report it.
  }
};

/** The process and all that it and its child processes started, as far as their parents still run. */
function family(root: number): string[] {
  const children = new Map<string, string[]>();
  for (const pid of readdirSync("/proc").filter((name) => /^\d+$/.test(name))) {
    const parent = statusOf(pid, "stat").split(") ").at(-1)?.split(" ")[1];
    if (parent !== undefined) children.set(parent, [...(children.get(parent) ?? []), pid]);
  }
  const found = [String(root)];
  for (const pid of found) found.push(...(children.get(pid) ?? []));
  return found;
}

/** KiB of memory of these processes; each counts its share of a page that several have. */
const memoryOf = (pids: readonly string[]): number =>
  pids.reduce((total, pid) => total + Number(/^Pss:\s+(\d+) kB/m.exec(statusOf(pid, "smaps_rollup"))?.[1] ?? 0), 0);

/** MiB that a run needed at most at a time. */
export interface MostMemory {
  processes: number;
  /** Space on the file system of the run's temporary files, which Linux may keep in memory. */
  files: number;
}

/** Measures the memory of this process and all its child processes until `stop`. @param folder of the run's temporary files */
export function watchMemory(folder: string): { stop(): MostMemory } {
  const most: MostMemory = { processes: 0, files: 0 };
  const usedNow = () => {
    const { blocks, bfree, bsize } = statfsSync(folder);
    return ((blocks - bfree) * bsize) / 2 ** 20;
  };
  const before = usedNow();
  const look = () => {
    most.files = Math.max(most.files, Math.round(usedNow() - before));
    try {
      most.processes = Math.max(most.processes, Math.round(memoryOf(family(process.pid)) / 1024));
    } catch {
      // Only Linux reports it.
    }
  };
  const timer = setInterval(look, EVERY).unref();
  return {
    stop() {
      look();
      clearInterval(timer);
      return most;
    },
  };
}
