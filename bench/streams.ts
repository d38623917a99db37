import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import net from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { parseArgs } from "node:util";
import pg from "pg";
import { startEmbedded } from "../core/embedded/server.ts";
import { createKey, createMember, createOrganisation } from "../operator/organisations.ts";
import { launchService } from "../test/support/process.ts";
import { notify } from "../test/support/streams/inbox.ts";
import { measuredService } from "./sides.ts";

const HELP = `npm run bench -- streams [options]: memory, processor time and delay of a node with open streams of inboxes
  --streams 2000   how many are open
  --people 200     whose inboxes they are
  --rounds 10      rows each person is told, one after another`;
const { values: options } = parseArgs({
  options: {
    streams: { type: "string", default: "2000" },
    people: { type: "string", default: "200" },
    rounds: { type: "string", default: "10" },
    help: { type: "boolean", default: false },
  },
});
if (options.help) {
  process.stdout.write(`${HELP}\n`);
  process.exit(0);
}
const [streams, people, rounds] = [Number(options.streams), Number(options.people), Number(options.rounds)];
const HOST = "agency.bench.test";
const AT_ONCE = 100;
const QUIET = 10_000;
const TICKS = 100;
const MIB = 1024;

const say = (line: string) => process.stdout.write(`${line}\n`);
const quantile = (sorted: number[], at: number) =>
  Math.round(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * at))] ?? 0);

/** Resident memory of a process in MiB. */
const memory = async (pid: number): Promise<number> =>
  Math.round(Number(/VmRSS:\s+(\d+)/.exec(await readFile(`/proc/${pid}/status`, "utf8"))?.[1]) / MIB);
/** Processor time of a process so far, in ms. */
async function cpu(pid: number): Promise<number> {
  const [user, system] = (await readFile(`/proc/${pid}/stat`, "utf8")).split(") ")[1]?.split(" ").slice(11, 13) ?? [];
  return ((Number(user) + Number(system)) * 1000) / TICKS;
}

/** Opens a stream and reports every row; resolves at its first event. */
async function follow(port: number, key: string, onRow: () => void): Promise<net.Socket> {
  const socket = net.connect(port, "127.0.0.1");
  socket.on("error", () => {});
  await once(socket, "connect");
  socket.write(`GET /api/v1/notifications/stream HTTP/1.1\r\nHost: ${HOST}\r\nX-API-Key: ${key}\r\n\r\n`);
  let text = "";
  await new Promise<void>((begun) => {
    socket.setEncoding("utf8").on("data", (part: string) => {
      text += part;
      for (let at = text.indexOf("\n\n"); at >= 0; at = text.indexOf("\n\n")) {
        if (text.slice(0, at).includes("event: unread")) begun();
        if (text.slice(0, at).includes("event: notification")) onRow();
        text = text.slice(at + 2);
      }
    });
  });
  return socket;
}

const undo: (() => unknown)[] = [];
try {
  const dataDir = await mkdtemp(path.join(tmpdir(), "kantoor-bench-"));
  undo.push(() => rm(dataDir, { recursive: true, force: true }));
  const database = await startEmbedded({ dataDir });
  undo.push(() => database.stop({ force: true }));
  const service = await launchService(measuredService(database.url("application"), database.url("owner")));
  undo.push(() => service.stop());
  const sql = new pg.Client({ connectionString: database.url("owner") });
  await sql.connect();
  undo.push(() => sql.end());
  const { id: organisationId } = await createOrganisation(sql, { slug: "agency", name: "Agency" });
  const everyone: { accountId: string; key: string }[] = [];
  for (let n = 0; n < people; n++) {
    const { accountId } = await createMember(sql, organisationId, {
      email: `m${n}@bench.test`,
      fullName: `Member ${n}`,
      role: "member",
    });
    const scopes = ["notifications.notification.read"];
    everyone.push({ accountId, key: (await createKey(sql, organisationId, "kt", { name: "bench", scopes, accountId })).value });
  }

  const port = service.port as number;
  let [told, sentAt] = [0, 0];
  const delays: number[] = [];
  const onRow = () => {
    told += 1;
    delays.push(performance.now() - sentAt);
  };
  const open = (from: number, count: number) =>
    Promise.all(Array.from({ length: count }, (_, n) => follow(port, everyone[(from + n) % people]?.key as string, onRow)));
  // Code that the first streams load must not count as their cost.
  for (const socket of await open(0, AT_ONCE)) socket.destroy();
  await delay(QUIET / 2);
  const before = await memory(service.pid);
  const began = performance.now();
  for (let from = 0; from < streams; from += AT_ONCE) await open(from, Math.min(AT_ONCE, streams - from));
  const opened = performance.now() - began;
  const spent = await cpu(service.pid);
  await delay(QUIET);
  const quiet = (await cpu(service.pid)) - spent;
  const after = await memory(service.pid);
  say(`${streams} streams of ${people} inboxes opened in ${Math.round(opened)} ms`);
  say(`memory: ${before} MiB before, ${after} MiB with them, ${after - before} MiB for the streams`);
  say(`processor time while nothing happens: ${Math.round((quiet / QUIET) * 1000) / 10} % of a core`);
  for (let round = 1; round <= rounds; round++) {
    sentAt = performance.now();
    await notify(sql, ...everyone.map(({ accountId }) => ({ organisationId, accountId })));
    while (told < round * streams) await delay(5);
    await delay(Math.random() * 500);
  }
  delays.sort((one, other) => one - other);
  say(
    `from the write of ${people} rows to each of ${delays.length} events: p50 ${quantile(delays, 0.5)} ms, p99 ${quantile(delays, 0.99)} ms, at most ${quantile(delays, 1)} ms`,
  );
  say(`memory afterwards: ${await memory(service.pid)} MiB`);
} finally {
  for (const step of undo.reverse()) await step();
}
process.exit(0);
