import net from "node:net";

/**
 * Generates load from a separate process: connections that send one request after another over raw sockets, so that the load itself takes
 * as little as possible of the machine both sides share.
 */

/** Parameters of a burst of load. */
export interface Burst {
  port: number;
  connections: number;
  /** Unmeasured seconds at the start. */
  warmUpSeconds: number;
  seconds: number;
  /** Requests as text, sent in turn. `{n}` is replaced by a six-digit number that is unique within the burst. */
  requests: string[];
  /** The first of those numbers. */
  from: number;
}

/** Result of a burst. Times in milliseconds, CPU in seconds. */
export interface Outcome {
  answered: number;
  /** Responses outside 2xx. */
  refused: number;
  firstRefusal: string | null;
  seconds: number;
  p50: number;
  p99: number;
  loadCpu: number;
  /** The first unused number. */
  next: number;
}

const LENGTH = /content-length: (\d+)/i;

/** Sends the burst. @param phase called when the measured part begins and ends */
async function burst(
  { port, connections, warmUpSeconds, seconds, requests, from }: Burst,
  phase: (name: string) => void,
): Promise<Outcome> {
  const prepared = requests.map((request) => (request.includes("{n}") ? request : Buffer.from(request, "latin1")));
  const latencies: number[] = [];
  let [turn, next, measuring, stopped, refused] = [0, from, false, false, 0];
  let firstRefusal: string | null = null;

  const converse = (): Promise<void> =>
    new Promise((resolve, reject) => {
      const socket = net.connect({ port, host: "127.0.0.1", noDelay: true });
      let pending: Buffer | null = null;
      let missing = -1;
      let sentAt = 0;
      const sendNext = () => {
        const request = prepared[turn++ % prepared.length] as Buffer | string;
        sentAt = performance.now();
        socket.write(typeof request === "string" ? request.replaceAll("{n}", String(next++)) : request, "latin1");
      };
      const answered = () => {
        if (measuring) latencies.push(performance.now() - sentAt);
        missing = -1;
        if (stopped) {
          socket.destroy();
          resolve();
        } else sendNext();
      };
      socket.on("connect", sendNext);
      socket.on("data", (chunk: Buffer) => {
        if (missing >= 0) {
          missing -= chunk.length;
          if (missing === 0) answered();
          return;
        }
        const data: Buffer = pending ? Buffer.concat([pending, chunk]) : chunk;
        const end = data.indexOf("\r\n\r\n");
        if (end < 0) {
          pending = data;
          return;
        }
        pending = null;
        const head = data.toString("latin1", 0, end);
        if (head.charCodeAt(9) !== 50 && measuring) {
          refused += 1;
          firstRefusal ??= data.toString("utf8").slice(0, 800);
        }
        missing = Number(LENGTH.exec(head)?.[1] ?? 0) - (data.length - end - 4);
        if (missing === 0) answered();
      });
      socket.on("error", reject);
      socket.on("end", () => reject(new Error("the server closed a connection")));
    });

  const wait = (length: number) => new Promise((resolve) => setTimeout(resolve, length * 1000));
  const all = Promise.all(Array.from({ length: connections }, converse));
  all.catch(() => {});
  await Promise.race([wait(warmUpSeconds), all]);
  const cpu = process.cpuUsage();
  const began = performance.now();
  measuring = true;
  phase("begin");
  await Promise.race([wait(seconds), all]);
  measuring = false;
  const took = (performance.now() - began) / 1000;
  phase("end");
  const { user, system } = process.cpuUsage(cpu);
  stopped = true;
  await all;
  latencies.sort((one, other) => one - other);
  const quantile = (share: number) =>
    latencies[Math.min(latencies.length - 1, Math.floor(latencies.length * share))] ?? Number.NaN;
  return {
    answered: latencies.length,
    refused,
    firstRefusal,
    seconds: took,
    p50: quantile(0.5),
    p99: quantile(0.99),
    loadCpu: (user + system) / 1e6,
    next,
  };
}

/** Messages of this process to its parent. */
export type Word = { phase: string } | { outcome: Outcome } | { failure: string };

if (process.send) {
  const tell = (word: Word) => process.send?.(word);
  process.on("message", async (wanted: Burst) => {
    try {
      tell({ outcome: await burst(wanted, (phase) => tell({ phase })) });
    } catch (error) {
      tell({ failure: (error as Error).message });
    }
  });
  process.on("disconnect", () => process.exit());
}
