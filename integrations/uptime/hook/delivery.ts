import { isShallow } from "../../../core/values/stored-text.ts";
import { type Beat, readBeat, readStatus, readTime } from "../kuma/heartbeat.ts";

/** Most bytes of a delivery without the page's text. */
const MOST = 64 * 1024;

/** The heartbeat in a delivery, or the status to answer with. */
export type Delivery = { beat: Beat } | { status: 200 | 400 | 413 };

/** The JSON in a body or in its form field `data`; null if it is invalid. */
async function jsonOf(body: Buffer, contentType: string): Promise<unknown> {
  try {
    if (!/^(multipart\/form-data|application\/x-www-form-urlencoded)/i.test(contentType)) return JSON.parse(body.toString());
    const form = await new Response(new Uint8Array(body), { headers: { "content-type": contentType } }).formData();
    const data = form.get("data");
    return JSON.parse(typeof data === "string" ? data : ((await data?.text()) ?? ""));
  } catch {
    return null;
  }
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** The id of a monitor at its server; null if it is invalid. */
function monitorNumber(value: unknown): number | null {
  const number = typeof value === "string" && /^\d{1,10}$/.test(value) ? Number(value) : value;
  return Number.isSafeInteger(number) && (number as number) > 0 && (number as number) <= 2_147_483_647
    ? (number as number)
    : null;
}

/**
 * Parses a delivery (workspace-reporting §5, "Webhook"). A body nested too deeply to write as JSON is malformed. Drops the page text that a server may save with a heartbeat before it checks the
 * size. A body whose monitor is null (test button, certificate expiry notice) is answered with 200; after any other answer the server would
 * repeat the notice at each check.
 * @param now milliseconds since 1970
 */
export async function readDelivery(body: Buffer, contentType: string, now: number): Promise<Delivery> {
  const sent = await jsonOf(body, contentType);
  if (!isObject(sent) || !isShallow(sent)) return { status: 400 };
  const { monitor, heartbeat } = sent;
  const beat = isObject(heartbeat) ? { ...heartbeat } : null;
  if (beat) delete beat["response"];
  if (Buffer.byteLength(JSON.stringify({ ...sent, heartbeat: beat })) > MOST) return { status: 413 };
  if (monitor === null) return { status: 200 };
  const remoteId =
    monitorNumber(isObject(monitor) ? monitor["id"] : undefined) ?? monitorNumber(beat?.["monitorID"] ?? sent["monitorID"]);
  if (remoteId === null) return { status: 400 };
  const read = readBeat(remoteId, { ...beat, status: beat?.["status"] ?? sent["status"] }, now) as Beat;
  return {
    beat: { ...read, status: readStatus(beat?.["status"] ?? sent["status"]), at: readTime(beat?.["time"] ?? sent["time"], now) },
  };
}
