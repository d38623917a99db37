import { type Beat, readBeat, readStatus, readTime } from "../kuma/heartbeat.ts";

/** Most bytes of a delivery once the page's text is taken out of it. */
const MOST = 64 * 1024;

/** What a delivery says, or the status that answers it. */
export type Delivery = { beat: Beat } | { status: 200 | 400 | 413 };

/** The JSON of a body: its text, or that of the form field `data`; null for what is none. */
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

/** The number of a monitor; null for what is none. */
function monitorNumber(value: unknown): number | null {
  const number = typeof value === "string" && /^\d{1,10}$/.test(value) ? Number(value) : value;
  return Number.isSafeInteger(number) && (number as number) > 0 && (number as number) <= 2_147_483_647
    ? (number as number)
    : null;
}

/**
 * Reads a delivery (workspace-reporting §5, "Webhook"). The text of the page that a server may save with a heartbeat is dropped before the
 * size counts. A body whose monitor is null, as of the test button and of the notice of an expiring certificate, is 200: another answer has
 * the notice repeated at each check.
 * @param now milliseconds since 1970
 */
export async function readDelivery(body: Buffer, contentType: string, now: number): Promise<Delivery> {
  const sent = await jsonOf(body, contentType);
  if (!isObject(sent)) return { status: 400 };
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
