/** The newest sentences that simulated providers refused with. A refusal of this service must not contain any: it has keys and codes. */
const heard = new Set<string>();
const MOST = 500;
/** At least three words: shorter texts are codes, or names that both sides know. */
const SENTENCE = /\S\s+\S+\s+\S/;

function sentencesIn(value: unknown): string[] {
  if (typeof value === "string") return SENTENCE.test(value) ? [value] : [];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(sentencesIn) : [];
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** Remembers the sentences of a provider's refusal. @param body as it is sent, JSON or another text */
export function noteProse(status: number, body: unknown): void {
  if (status < 400) return;
  for (const sentence of sentencesIn(typeof body === "string" ? parsed(body) : body)) {
    heard.delete(sentence);
    heard.add(sentence);
  }
  for (const oldest of heard) {
    if (heard.size <= MOST) break;
    heard.delete(oldest);
  }
}

/** @throws Error naming the sentence, if a refusal quotes a provider (conventions §8) */
export function requireNoProse(method: string, path: string, status: number, body: unknown): void {
  if (status < 400 || heard.size === 0) return;
  for (const text of sentencesIn(body))
    for (const sentence of heard)
      if (text.includes(sentence.slice(0, 60)))
        throw new Error(`${method} ${path} answers ${status} with words of a provider: '${sentence.slice(0, 200)}'`);
}
