/** What tests must produce: domain and record events, mails, text messages, errors, and warnings in responses. */
export type Produced = "event" | "mail" | "sms" | "error" | "warning";

const seen = new Set<string>();
const fresh: string[] = [];

/** Records that a test produced something. @param name for an error its status, code and message, separated by spaces */
export function noteSeen(kind: Produced, name: string): void {
  const one = `${kind} ${name}`;
  if (seen.has(one)) return;
  seen.add(one);
  fresh.push(one);
}

/** Names produced for the first time in this process since the last call. */
export const takeSeen = (): string[] => fresh.splice(0);

interface Refusal {
  code?: unknown;
  message?: unknown;
  fields?: Record<string, unknown>;
}

/** Code of an OAuth refusal, whose own code may differ from the catalogue's: its description is the message. */
export const OF_OAUTH = "*";

/** The refusal in a response: in the service's own format, or in OAuth's (RFC 6749 §5.2). */
function refusalIn(body: { error?: Refusal | string; error_description?: unknown }): Refusal {
  const { error } = body;
  return typeof error === "string" ? { code: OF_OAUTH, message: body.error_description } : (error ?? {});
}

/** Records what an API response shows: a refusal, its field keys, warnings, and cells that an import rejects. */
export function noteAnswer(status: number, body: unknown): void {
  if (typeof body !== "object" || body === null) return;
  if (status < 400) {
    const { warnings, errors } = body as { warnings?: unknown; errors?: unknown };
    if (Array.isArray(warnings)) for (const one of warnings) noteSeen("warning", String(one?.code ?? one));
    // An import's error for a cell is a refusal of that cell (conventions §22).
    if (Array.isArray(errors))
      for (const { error } of errors) if (typeof error === "string") noteSeen("error", `422 validation ${error}`);
    return;
  }
  const { code, message, fields = {} } = refusalIn(body);
  for (const key of [message, ...Object.values(fields)])
    if (typeof code === "string" && typeof key === "string") noteSeen("error", `${status} ${code} ${key}`);
}
