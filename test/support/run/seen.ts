/** What the suite has to produce by a test: domain and record events, mails, text messages, errors, and warnings in answers. */
export type Produced = "event" | "mail" | "sms" | "error" | "warning";

const seen = new Set<string>();
const fresh: string[] = [];

/** Notes that a test has produced something. @param name of an error its status, code and message, separated by blanks */
export function noteSeen(kind: Produced, name: string): void {
  const one = `${kind} ${name}`;
  if (seen.has(one)) return;
  seen.add(one);
  fresh.push(one);
}

/** What was produced for the first time in this process since this was last asked. */
export const takeSeen = (): string[] => fresh.splice(0);

interface Refusal {
  code?: unknown;
  message?: unknown;
  fields?: Record<string, unknown>;
}

/** The code of a refusal in the shape of OAuth, which may name it otherwise than the catalogue: its description is the message. */
export const OF_OAUTH = "*";

/** The refusal in an answer: the service's own shape, or that of OAuth (RFC 6749 §5.2). */
function refusalIn(body: { error?: Refusal | string; error_description?: unknown }): Refusal {
  const { error } = body;
  return typeof error === "string" ? { code: OF_OAUTH, message: body.error_description } : (error ?? {});
}

/** Notes what an answer of the API shows: a refusal, the keys of its fields, warnings, and cells that an import refuses. */
export function noteAnswer(status: number, body: unknown): void {
  if (typeof body !== "object" || body === null) return;
  if (status < 400) {
    const { warnings, errors } = body as { warnings?: unknown; errors?: unknown };
    if (Array.isArray(warnings)) for (const one of warnings) noteSeen("warning", String(one?.code ?? one));
    // What an import says of a cell is a refusal of that cell (conventions §22).
    if (Array.isArray(errors))
      for (const { error } of errors) if (typeof error === "string") noteSeen("error", `422 validation ${error}`);
    return;
  }
  const { code, message, fields = {} } = refusalIn(body);
  for (const key of [message, ...Object.values(fields)])
    if (typeof code === "string" && typeof key === "string") noteSeen("error", `${status} ${code} ${key}`);
}
