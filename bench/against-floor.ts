import type { EmbeddedServer } from "../core/embedded/server.ts";
import type { Spawned } from "../test/support/process.ts";
import type { Figures, Load } from "./measure.ts";
import { startFloor } from "./sides.ts";

interface Comparison {
  server: EmbeddedServer;
  service: Spawned;
  load: Load;
  /** Headers of the request to the service. */
  headers: Readonly<Record<string, string>>;
  /** A list of 50 rows, relative to `/api/v1`. */
  list: string;
  callers: number;
  /** Alternating bursts per side, and the seconds of each. */
  bursts: number;
  seconds: number;
}

const middleOf = (values: readonly number[]): number =>
  values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] as number;

/** Compares a list of the service with the floor's list of 50 companies: the ratio of their rates, and a line with the cost of each. */
export async function listAgainstFloor(comparison: Comparison): Promise<{ ratio: number; told: string }> {
  const { server, service, load, headers, list, callers, bursts, seconds } = comparison;
  const floor = await startFloor(server);
  try {
    const head = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
    const about = { name: "service", pid: service.pid, port: service.port as number, ids: [], output: service.output };
    const subject = { ...about, request: () => "", stop: async () => {} };
    const asked = `GET /api/v1${list} HTTP/1.1\r\n${head.join("")}\r\n`;
    const byHand = floor.request("large", "GET", "?limit=50&count=false");
    const burst = { connections: callers, warmUpSeconds: 1, seconds };
    const found: Record<"service" | "floor", Figures[]> = { service: [], floor: [] };
    for (let turn = 0; turn < bursts; turn++) {
      found.floor.push(await load.run(floor, server, [byHand], burst));
      found.service.push(await load.run(subject, server, [asked], burst));
    }
    const middle = (side: keyof typeof found, figure: keyof Figures) => middleOf(found[side].map((one) => one[figure]));
    const cost = (side: keyof typeof found) =>
      `${middle(side, "rate").toFixed(0)} a second, ${middle(side, "cpu").toFixed(0)} µs of Node and ${middle(side, "databaseCpu").toFixed(0)} of PostgreSQL each`;
    return {
      ratio: middle("service", "rate") / middle("floor", "rate"),
      told: `${cost("service")}; the floor's list of companies: ${cost("floor")}`,
    };
  } finally {
    await floor.stop();
  }
}
