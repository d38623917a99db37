import http from "node:http";
import { parentPort } from "node:worker_threads";

/** The ways in which an organisation floods the service. */
export const FLOODS = {
  lists: "64 callers read lists of 200 clients with their total",
  exports: "8 callers export 20,000 clients",
  imports: "4 callers import 45,000 clients each, again and again",
  previews: "32 callers draw an invoice as HTML",
  pdf: "16 callers print an invoice",
  writes: "64 callers create clients, which two webhooks send to a receiver that takes ten seconds",
} as const;
export type Kind = keyof typeof FLOODS;
const CALLERS: Record<Kind, number> = { lists: 64, exports: 8, imports: 4, previews: 32, pdf: 16, writes: 64 };
const IMPORTED = 45_000;

export interface Caller {
  host: string;
  key: string;
}
/** A flood, and the invoice that it draws and prints. */
export interface Flood extends Caller {
  port: number;
  kind: Kind;
  invoice: string;
}

/** A file of clients that no other file of this flood names. */
const sheet = (n: number): string =>
  `Name,City\n${Array.from({ length: IMPORTED }, (_, row) => `Imported ${n} ${row},Utrecht`).join("\n")}\n`;

const MULTIPART = { "Content-Type": "multipart/form-data; boundary=neighbours" };
const upload = (text: string): string =>
  `--neighbours\r\nContent-Disposition: form-data; name="file"; filename="clients.csv"\r\nContent-Type: text/csv\r\n\r\n${text}\r\n--neighbours--\r\n`;

/** Sends requests of one kind from this thread until it is told to stop, and reports how many were answered, by status. */
export async function flood({ port, kind, host, key, invoice }: Flood): Promise<void> {
  const agent = new http.Agent({ keepAlive: true, maxSockets: 64 });
  const statuses: Record<number, number> = {};
  let [isOver, made] = [false, 0];
  parentPort?.once("message", () => (isOver = true));
  const ask = (
    method: string,
    target: string,
    body?: string,
    type: object = { "Content-Type": "application/json" },
  ): Promise<void> =>
    new Promise((resolve) => {
      const entity = body === undefined ? {} : { ...type, "Content-Length": Buffer.byteLength(body) };
      const headers = { Host: host, "X-API-Key": key, ...entity };
      const request = http.request({ port, host: "127.0.0.1", method, path: `/api/v1${target}`, agent, headers }, (response) => {
        statuses[response.statusCode ?? 0] = (statuses[response.statusCode ?? 0] ?? 0) + 1;
        response.resume().on("close", resolve);
      });
      request.on("error", () => resolve()).end(body);
    });
  const once: Record<Kind, () => Promise<void>> = {
    lists: () => ask("GET", "/companies?limit=200&sort=-name"),
    exports: () => ask("GET", "/impex/company"),
    imports: () => ask("POST", "/impex/company", upload(sheet(made++)), MULTIPART),
    previews: () => ask("GET", `/invoicing/invoices/${invoice}/preview`),
    pdf: () => ask("GET", `/invoicing/invoices/${invoice}/pdf`),
    writes: () => ask("POST", "/companies", JSON.stringify({ name: `Flooded ${made++}` })),
  };
  const caller = async () => {
    while (!isOver) await once[kind]();
  };
  await Promise.all(Array.from({ length: CALLERS[kind] }, caller));
  agent.destroy();
  parentPort?.postMessage(statuses);
}
